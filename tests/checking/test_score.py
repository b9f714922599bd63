"""The checks of scoring find real mistakes, with the answer that proves each, and leave odd but sound scorers alone."""

import asyncio
import json
import random
import re
import time

import pytest

from grpo_env_sdk import SingleTurnEnv, reward
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
from tests.checking.trying import found, subject_of
from tests.environments import ALL

CHECKS = [
    scoring_never_fails, a_score_is_a_number, scores_stay_in_their_range, scoring_changes_nothing_it_is_given,
    scoring_time_does_not_explode, a_score_is_the_same_again, a_score_is_the_same_in_another_order,
    a_score_is_the_same_on_another_instance, parallel_scoring_is_safe, slow_scoring_runs_in_parallel,
    everything_is_awaited, async_scoring_does_not_block, nothing_that_a_model_wrote_is_executed,
]  # fmt: skip


class Sums:
    """Sound: the sum of two numbers."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{a} + {b} = ?", "answer": str(a + b), "a": a} for a in range(20) for b in range(1, 6)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(answer in re.findall(r"[0-9]+", completion))

    def solve(self, row):
        return row["answer"]


class LooksInTagsAlone(Sums):
    """Raises at words, and looks at nothing but what stands in its tags."""

    def score_episode(self, model, tokenizer, completion, answer):
        found = re.fullmatch(r"<sum>(.*)</sum>", completion, re.DOTALL)
        return float(found is not None and int(found[1]) == int(answer))

    def solve(self, row):
        return f"<sum>{row['answer']}</sum>"


class Share(Sums):
    """Raises on one row of a hundred."""

    def score_episode(self, model, tokenizer, completion, a, answer):
        return len(completion) / (a + int(answer) - 19 - 19 - 3) / 1e9 if a == 19 else 0.0


class ReadsJson(Sums):
    """Takes any JSON for an object."""

    def score_episode(self, model, tokenizer, completion, answer):
        try:
            return float(json.loads(completion).get("answer") == answer)
        except (ValueError, RecursionError):
            return 0.0


class Backtracks(Sums):
    """An expression that takes for ever on forty letters and a mark."""

    def score_episode(self, model, tokenizer, completion, answer):
        return float(bool(re.match(r"^(\w+\s?)*$", completion[:300])) and answer in completion)


class Text(Sums):
    """Gives text for a number."""

    def score_episode(self, model, tokenizer, completion, answer):
        return "1.0" if answer in completion else 0.0


class NoReturn(Sums):
    """Forgets to return."""

    def score_episode(self, model, tokenizer, completion, answer):
        float(answer in completion)


class Bonus(Sums):
    """A bonus on top of the top, for short right answers only."""

    def score_episode(self, model, tokenizer, completion, answer):
        return float(answer in completion) + (0.5 if completion == answer else 0.0)


class WidePart(SingleTurnEnv):
    """A part beyond its range, which the mean hides."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Count.", "answer": "1 2 3"}] * 3

    @reward
    def words(self, completion):
        return min(len(completion.split()), 5) / 3

    @reward(weight=3)
    def right(self, completion, answer):
        return 0.0


class Sorts:
    """Sorts the list that belongs to the row."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Sort.", "items": [3, 1, 2]}]

    def score_episode(self, model, tokenizer, completion, items):
        items.sort()
        return float(completion == " ".join(map(str, items)))


class Noise(Sums):
    """A judge with noise, on right answers only."""

    def score_episode(self, model, tokenizer, completion, answer):
        return 0.9 + random.random() / 10 if answer in completion else 0.0


class Novelty(Sums):
    """Pays for what was not said before."""

    def __init__(self):
        self.said = set()

    def score_episode(self, model, tokenizer, completion, answer):
        new = completion not in self.said
        self.said.add(completion)
        return float(answer in completion) * (1.0 if new else 0.5)


class Counter(Sums):
    """Every third answer is worth half."""

    def __init__(self):
        self.scored = 0

    def score_episode(self, model, tokenizer, completion, answer):
        self.scored += 1
        return float(answer in completion) / (2 if self.scored % 3 == 0 else 1)


class Running(Sums):
    """Compares with the longest answer so far: equal when scored again at once, not in another order."""

    def __init__(self):
        self.longest = 1

    def score_episode(self, model, tokenizer, completion, answer):
        self.longest = max(self.longest, len(completion))
        return round(len(completion) / self.longest, 3)


class Calls(Sums):
    """What is scored depends on an attribute that only the first instance has."""

    made = 0

    def __init__(self):
        Calls.made += 1
        self.strict = Calls.made % 2

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer if self.strict else answer in completion)


class Hashes(Sums):
    """Takes a Python hash for a stable number."""

    def score_episode(self, model, tokenizer, completion, answer):
        return (hash(completion) % 100) / 100


class WrongClaim(Sums):
    """Says parallel, and keeps the row in self while it scores."""

    parallel = True

    def score_episode(self, model, tokenizer, completion, answer):
        self.answer = answer
        return self.judged(completion)

    def judged(self, completion):
        return float(self.answer in re.findall(r"[0-9]+", completion))


class RightClaim(WrongClaim):
    """The same behind a lock."""

    def __init__(self):
        import threading

        self.lock = threading.Lock()

    def __deepcopy__(self, memo):
        return type(self)()

    def score_episode(self, model, tokenizer, completion, answer):
        with self.lock:
            return super().score_episode(model, tokenizer, completion, answer)


class Serial(WrongClaim):
    """The same, which is sound as long as nobody scores at once."""

    parallel = False


class AsyncState(Sums):
    """An async judge that keeps what it judges in self while it waits."""

    async def score_episode(self, model, tokenizer, completion, answer):
        self.answer = answer
        await asyncio.sleep(0.001)
        return float(self.answer in completion)


class AsyncJudge(Sums):
    """Sound: an async judge."""

    async def score_episode(self, model, tokenizer, completion, answer):
        await asyncio.sleep(0.0005)
        return float(answer in completion)


class NeverAwaited(Sums):
    """Asks an async judge, and takes the coroutine for its answer."""

    async def judge(self, completion, answer):
        return answer in completion

    def score_episode(self, model, tokenizer, completion, answer):
        return 1.0 if completion and self.judge(completion, answer) else 0.0


class Blocks(Sums):
    """Async by name."""

    async def score_episode(self, model, tokenizer, completion, answer):
        time.sleep(0.08 if completion == answer else 0)
        return float(answer in completion)


class Evaluates(Sums):
    """Evaluates what stands in the answer tags."""

    def score_episode(self, model, tokenizer, completion, answer):
        found = re.search(r"<answer>(.*?)</answer>", completion)
        try:
            return float(eval(found[1]) == int(answer)) if found else 0.0
        except Exception:
            return 0.0


class Slow(Sums):
    """A scorer that waits, and could wait together with others."""

    def build_dataset(self, tokenizer):
        return super().build_dataset(tokenizer)[:3]

    def score_episode(self, model, tokenizer, completion, answer):
        time.sleep(0.03)
        return float(answer in completion)


class Penalties(Sums):
    """Sound: negative scores in a range that is declared, abstaining where nothing was said."""

    reward_range = (-1.0, 2.0)

    def score_episode(self, model, tokenizer, completion, answer):
        return None if not completion.strip() else 2.0 if completion == answer else -len(completion) / 1e6


@pytest.mark.parametrize(("check", "cls", "told"), [
    (scoring_never_fails, Share, r"Scoring raised ZeroDivisionError: .*test_score.py:\d+\), on "),
    (scoring_never_fails, ReadsJson, "AttributeError: 'int' object has no attribute 'get'"),
    (a_score_is_a_number, Text, r"returned '1.0' \(str\), which is not a score, on "),
    (a_score_is_a_number, NoReturn, r"All \d+ answers scored None"),
    (scores_stay_in_their_range, Bonus, r"A score of 1.5, for the gold answer, is outside \[0, 1\]"),
    (scores_stay_in_their_range, WidePart, r"The reward 'words' of 1.66667, .* is outside \[0, 1\]"),
    (scoring_changes_nothing_it_is_given, Sorts, "changed 'items' of the row"),
    (a_score_is_the_same_again, Noise, "scored 0.9.*, at random"),
    (a_score_is_the_same_again, Counter, "scored .*, depending on the answers before it"),
    (a_score_is_the_same_in_another_order, Novelty, r"scored 1, and 0.5 when .* \(\d+ answers differ\)"),
    (a_score_is_the_same_in_another_order, Running, "when the answers were scored in reverse order"),
    (a_score_is_the_same_on_another_instance, Calls, "scored .* on a new instance"),
    (a_score_is_the_same_in_another_process, Hashes, "scored .* in another process"),
    (parallel_scoring_is_safe, WrongClaim, r"Row \d+ scored 0.0 instead of 1.0 .*the class sets parallel = True"),
    (parallel_scoring_is_safe, AsyncState, r"Row \d+ scored .* together with 7 others"),
    (slow_scoring_runs_in_parallel, Slow, "Scoring takes 0.0.* s per answer, one at a time"),
    (everything_is_awaited, NeverAwaited, "'NeverAwaited.judge' is async and is never awaited"),
    (async_scoring_does_not_block, Blocks, "score_episode is async but blocked the event loop"),
    (nothing_that_a_model_wrote_is_executed, Evaluates, "executed Python that the model wrote"),
    (scoring_time_does_not_explode, Backtracks, r"Scoring \d+ characters \(.*\) takes"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:coroutine")
def test_a_mistake_is_found_and_told(check, cls, told):
    subject = subject_of(cls, "quick")
    _ = subject.rows
    subject.begin(check.id, 3.0)
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


@pytest.mark.parametrize("cls", [*ALL, Sums, Penalties, Serial, RightClaim, AsyncJudge], ids=lambda cls: cls.__name__)
def test_a_sound_environment_is_left_alone(cls):
    subject = subject_of(cls, "quick")
    for check in CHECKS:
        subject.begin(check.id, 2.0)
        assert list(found_by(check, subject)) == [], check.id


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_a_sound_environment_plays_the_same_in_another_process(cls):
    assert found(a_score_is_the_same_in_another_process, cls, "quick") == []
