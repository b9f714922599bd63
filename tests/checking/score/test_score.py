"""The checks of scoring find real mistakes, with the answer that proves each, and leave odd but sound scorers alone."""

import re

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.checking.score.effects import (
    async_scoring_does_not_block,
    everything_is_awaited,
    nothing_that_a_model_wrote_is_executed,
)
from grpo_env_sdk.checking.score.growth import scoring_time_does_not_explode
from grpo_env_sdk.checking.score.parallel import parallel_scoring_is_safe, slow_scoring_runs_in_parallel
from grpo_env_sdk.checking.score.repeats import (
    a_score_is_the_same_again,
    a_score_is_the_same_in_another_order,
    a_score_is_the_same_in_another_process,
    a_score_is_the_same_on_another_instance,
)
from grpo_env_sdk.checking.score.values import (
    a_score_is_a_number,
    scores_stay_in_their_range,
    scoring_changes_nothing_it_is_given,
    scoring_never_fails,
)
from tests.checking.environments.score_envs import (
    AsyncJudge,
    AsyncState,
    AsyncStateAtTimes,
    Backtracks,
    BacktracksInTheForm,
    Blocks,
    Bonus,
    Calls,
    Counter,
    CountsWords,
    Evaluates,
    Hashes,
    LooksInTagsAlone,
    NeverAwaited,
    Noise,
    NoReturn,
    Novelty,
    OnceTold,
    Penalties,
    ReadsJson,
    RightClaim,
    Running,
    Serial,
    Share,
    Slow,
    Sorts,
    Sums,
    Text,
    WidePart,
    WrongClaim,
)
from tests.checking.trying import found, subject_of
from tests.environments import ALL

CHECKS = [
    scoring_never_fails, a_score_is_a_number, scores_stay_in_their_range, scoring_changes_nothing_it_is_given,
    scoring_time_does_not_explode, a_score_is_the_same_again, a_score_is_the_same_in_another_order,
    a_score_is_the_same_on_another_instance, parallel_scoring_is_safe, slow_scoring_runs_in_parallel,
    everything_is_awaited, async_scoring_does_not_block, nothing_that_a_model_wrote_is_executed,
]  # fmt: skip


@pytest.mark.parametrize(("check", "cls", "told"), [
    (scoring_never_fails, Share, r"Scoring raised ZeroDivisionError: .*score_envs.py:\d+\), on "),
    (scoring_never_fails, ReadsJson, "AttributeError: 'int' object has no attribute 'get'"),
    (a_score_is_a_number, Text, r"returned '1.0' \(str\), which is not a score, on "),
    (a_score_is_a_number, NoReturn, r"All \d+ answers scored None"),
    (scores_stay_in_their_range, Bonus, r"A score of 1.5, for the gold answer, is outside \[0, 1\]"),
    (scores_stay_in_their_range, WidePart, r"The reward 'words' of 1.66667, .* is outside \[0, 1\]"),
    (scoring_changes_nothing_it_is_given, Sorts, "changed 'items' of the row"),
    (a_score_is_the_same_again, Noise, "scored 0.9.*, at random"),
    (a_score_is_the_same_again, Counter, "scored .*, depending on the answers before it"),
    (a_score_is_the_same_again, OnceTold, r"depending on TOLD \(score_envs.py\), which has more entries"),
    (a_score_is_the_same_in_another_order, Novelty, r"scored 1, and 0.5 when .* \(\d+ answers differ\)"),
    (a_score_is_the_same_in_another_order, Running, "when the answers were scored in reverse order"),
    (a_score_is_the_same_on_another_instance, Calls, "scored .* on a new instance"),
    (a_score_is_the_same_in_another_process, Hashes, "scored .* in another process"),
    (parallel_scoring_is_safe, WrongClaim, r"Row \d+ scored 0.0 instead of 1.0 .*the class sets parallel = True"),
    (parallel_scoring_is_safe, AsyncState, r"Row \d+ scored .* together with \d other"),
    (parallel_scoring_is_safe, AsyncStateAtTimes, r"Row \d+ scored 1.0 instead of 0.0 .* together with \d other"),
    (slow_scoring_runs_in_parallel, Slow, "Scoring takes 0.0.* s per answer, one at a time"),
    (everything_is_awaited, NeverAwaited, "'NeverAwaited.judge' is async and is never awaited"),
    (async_scoring_does_not_block, Blocks, "score_episode is async but blocked the event loop"),
    (nothing_that_a_model_wrote_is_executed, Evaluates, "executed Python that the model wrote"),
    (scoring_time_does_not_explode, Backtracks, r"Scoring \d+ characters \(.*\) takes"),
    (scoring_time_does_not_explode, BacktracksInTheForm, r"\(the gold answer with word 2 made long\) takes"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:coroutine")
def test_a_mistake_is_found_and_told(check, cls, told):
    subject = subject_of(cls, "quick")
    _ = subject.rows
    subject.begin(check.id, 120.0)  # more than any takes on a busy machine
    items = list(found_by(check, subject))
    assert [type(item) for item in items] == [Finding]
    assert re.search(told, items[0].message), items[0].message
    assert items[0].hint
    assert items[0].row is not None


def test_odd_answers_are_also_given_in_the_form_of_gold():
    finding = next(item for item in found(scoring_never_fails, LooksInTagsAlone) if isinstance(item, Finding))
    assert "ValueError: invalid literal for int()" in finding.message
    assert "in the format of gold" in finding.message
    assert finding.input.startswith("<sum>")


def nothing_is_found_in(cls, checks):
    subject = subject_of(cls, "quick", rows=8)
    for check in checks:
        subject.begin(check.id, 2.0)
        assert list(found_by(check, subject)) == [], check.id


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_a_sound_environment_is_left_alone_and_plays_the_same_in_another_process(cls):
    nothing_is_found_in(cls, [*CHECKS, a_score_is_the_same_in_another_process])


@pytest.mark.parametrize(
    "cls", [Sums, Penalties, Serial, RightClaim, AsyncJudge, CountsWords], ids=lambda cls: cls.__name__
)
def test_an_unusual_scorer_that_is_sound_is_left_alone(cls):
    nothing_is_found_in(cls, CHECKS)


class KeptByAnswer:
    """Keeps scores by the answer alone, so that the first row with an answer decides for all others."""

    def __init__(self):
        self.kept = {}

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Is {n} above 9?", "above": "yes" if n > 9 else "no"} for n in range(20)]

    def score_episode(self, model, tokenizer, completion, above):
        return self.kept.setdefault(completion.strip(), float(completion.strip() == above))


class KeptWithGold(KeptByAnswer):
    def solve(self, row):
        return row["above"]


@pytest.mark.parametrize("cls", [KeptByAnswer, KeptWithGold])
def test_a_score_that_is_kept_by_the_answer_alone_shows_on_another_instance(cls):
    (finding,) = found(a_score_is_the_same_on_another_instance, cls)
    assert "wrong answers first" in finding.message
    assert "key of a cache" in finding.hint


class AbstainsBesideAPenalty(SingleTurnEnv):
    """Gold without a date abstains from one reward, so that a penalty weighs more than it usually does."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} + {n}?", "answer": str(2 * n), "dated": n % 2} for n in range(8)]

    @reward(weight=3)
    def right(self, completion, answer):
        return answer_text(completion).split()[:1] == [answer]

    @reward
    def dated(self, completion, dated):
        return "today" in answer_text(completion) if dated else None

    @reward(weight=-1)
    def too_long(self, completion):
        return len(answer_text(completion)) > 2

    def solve(self, row):
        return f"{row['answer']} today" if row["dated"] else row["answer"]


def test_a_range_that_nobody_declared_is_not_left_by_abstaining():
    assert found(scores_stay_in_their_range, AbstainsBesideAPenalty) == []
