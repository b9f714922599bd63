"""The forecast says at which skill groups differ, and which rows give no learning signal."""

import random
import re

import pytest

from grpo_env_sdk import MultiTurnEnv
from grpo_env_sdk.checking.evidence.attempts.skill_samples import SKILLS
from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.checking.forecast import every_row_can_teach, groups_differ_within, rewards_use_their_range
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.evaluation.stats import mean_spread, share_without, without_spread
from grpo_env_sdk.report.exhibits import Plot, Table
from tests.checking.environments.teaching_envs import Sums, hashed
from tests.checking.trying import found, subject_of


class Lists(Sums):
    """A list of numbers, in which each one pays."""

    length = 6

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Count from {n}", "answer": " ".join(str(n * 7 + i * i) for i in range(self.length))}
            for n in range(10, 40)
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        said, wanted = completion.split(), answer.split()
        return sum(one == other for one, other in zip(said, wanted, strict=False)) / max(len(wanted), len(said))


class AllOrNothing(Lists):
    length = 30

    def __init__(self, difficulty="hard"):
        self.difficulty = difficulty

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)


class WithAFloor(Lists):
    """Sound: any answer earns a sixth, and half of the list is needed for more."""

    length = 4

    def score_episode(self, model, tokenizer, completion, answer):
        said, wanted = completion.split(), answer.split()
        right = sum(one == other for one, other in zip(said, wanted, strict=False))
        return 1 / 6 + 5 / 6 * max(0, right - 1) / 3


class NoGold(Sums):
    solve = None

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{"prompt": row["prompt"], "kept": 7 * int(row["answer"]) + 1_013} for row in rows]

    def score_episode(self, model, tokenizer, completion, kept):
        return float(hashed(completion) == hashed(str(kept - 1_000)))


class OneFlatRow(Sums):
    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [*rows[:43], {"prompt": "What is left?", "answer": ""}, *rows[44:]]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip().startswith(answer))

    def solve(self, row):
        return row["answer"] or "nothing"


class Generous(Sums):
    def score_episode(self, model, tokenizer, completion, answer):
        return 0.9 + super().score_episode(model, tokenizer, completion, answer) / 10


def findings(check, cls, **known):
    return [item for item in found(check, cls, **known) if isinstance(item, Finding)]


def test_partial_credit_gives_every_group_something_to_learn():
    shares, spread, table = found(groups_differ_within, Lists)
    assert [type(item) for item in (shares, spread, table)] == [Plot, Plot, Table]
    assert list(shares.lines) == ["groups of 4", "groups of 8", "groups of 16"]
    assert max(share for _, share in shares.lines["groups of 8"]) < 0.5
    rewards = [reward for _, reward in spread.lines["mean reward"]]
    assert rewards == sorted(rewards)


def test_what_any_answer_earns_is_no_skill():
    assert findings(groups_differ_within, WithAFloor) == []


def test_all_or_nothing_over_many_pieces_is_a_warning_that_names_the_setting():
    (finding,) = findings(groups_differ_within, AllOrNothing)
    assert "Even at 75% skill 100% of groups of 8 give no learning signal" in finding.message
    assert "(--env-config has 'difficulty')" in finding.hint
    assert finding.severity == "warning"


class Path(MultiTurnEnv):
    """A way of twelve steps, on which the first wrong one is the end."""

    max_turns = 12

    def build_dataset(self, tokenizer):
        ways = [random.Random(n).choices(["up", "down", "left", "right"], k=12) for n in range(40)]
        return [{"prompt": f"Walk path {n}.", "way": way} for n, way in enumerate(ways)]

    def solve(self, row):
        return [{"role": "assistant", "content": step} for step in row["way"]]

    def step(self, action):
        right = action["content"] == self.row["way"][self.turns - 1]
        over = not right or self.turns == 12
        return f"{self.turns} steps", float(right and over), over, False, {}


def test_a_long_course_that_a_recording_cannot_mend_is_no_warning():
    (finding,) = findings(groups_differ_within, Path)
    assert finding.severity == "info"


class PaysAll(Sums):
    def score_episode(self, model, tokenizer, completion, answer):
        return float(len(completion) > 0)


class PaysSomeRows(AllOrNothing):
    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer or (bool(completion) and answer < "2"))


def test_where_everything_pays_the_hint_is_to_pay_less_and_not_more():
    (finding,) = findings(groups_differ_within, PaysAll)
    assert finding.message.endswith("with a quarter of its pieces wrong nearly always scores as much as gold.")
    assert finding.hint.startswith("Give wrong answers less")


def test_where_everything_pays_in_some_rows_and_nothing_in_others_one_of_each_is_named():
    (finding,) = findings(groups_differ_within, PaysSomeRows)
    high, low = map(int, re.findall(r"such as (\d+)", finding.message))
    answers = [row["answer"] for row in Lists().build_dataset(None)]
    assert answers[high] < "2" <= answers[low]
    assert f"less in rows like {high}, and give partial credit in rows like {low}." in finding.hint


def test_a_single_answer_that_is_right_or_wrong_is_nothing_to_tell():
    assert findings(groups_differ_within, Sums) == []


def test_one_row_that_had_time_says_nothing_of_the_others():
    subject = subject_of(AllOrNothing)
    subject.once(("forecast", "sampled"), lambda: {skill: {0: [0.0] * 16} for skill in SKILLS})
    assert [type(item) for item in found_by(groups_differ_within, subject)] == [Undecided]


def test_without_gold_nothing_is_forecast():
    assert [type(item) for item in found(groups_differ_within, NoGold)] == [Undecided]


def test_the_one_row_in_which_all_answers_are_alike_is_found():
    (finding,) = findings(every_row_can_teach, OneFlatRow, effort="default")
    assert finding.row == 43
    assert finding.message.startswith("1 of 100 rows give no learning signal: in row 43 ")
    assert findings(every_row_can_teach, Sums, effort="default") == []


def test_rewards_that_lie_together_are_told():
    (finding,) = findings(rewards_use_their_range, Generous)
    assert "are between 0.9 and 1: 10% of the range from 0 to 1." in finding.message
    assert findings(rewards_use_their_range, Sums) == []


@pytest.mark.parametrize(("rewards", "size", "share"), [
    ([1.0] * 4, 8, 1.0), ([0.0, 1.0], 2, 0.5), ([0.0, 1.0], 8, 2 * 0.5**8), ([0.1, 0.1 + 1e-9], 4, 1.0),
])  # fmt: skip
def test_groups_without_spread_are_reckoned_from_samples(rewards, size, share):
    assert without_spread(rewards, size) == pytest.approx(share)


def test_spread_is_within_rows_and_not_between_them():
    assert mean_spread([[0.0, 0.0], [1.0, 1.0]]) == 0.0
    assert share_without([[0.0, 0.0], [0.0, 1.0]], 2) == 0.75
