"""Steps that pay each time, by turns with their opposites, which the prompt names with remarks or not at all."""

import pytest

from grpo_env_sdk import MultiTurnEnv
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import alternatives_of
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.games.beside_gold import acts_beside_gold_do_not_pay
from tests.checking.trying import found


class Crane(MultiTurnEnv):
    """Each metre towards the hook pays, and a metre away costs nothing."""

    max_turns = 30
    reward_range = (0, 2)
    asked = "The hook hangs at metre {}, your crane is at metre 0. Send left (metre - 1), stop (waits) or right (+ 1)."
    back, ready = 0.0, False

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(goal), "goal": goal} for goal in range(-9, 10) if abs(goal) > 2]

    def setup(self, row):
        self.at, self.on = 0, self.ready is False

    def step(self, action):
        said = action["content"].strip()
        if said == "start":
            self.on = True
            return "The motor runs.", 0.0, False, False, {}
        left = abs(self.at - self.row["goal"])
        self.at += {"left": -1, "right": 1}.get(said, 0) if self.on else 0
        nearer = left - abs(self.at - self.row["goal"])
        pay = self.paid(nearer)
        over = self.at == self.row["goal"]
        return f"Metre {self.at}.", pay + 0.5 * over, over, False, {}

    def paid(self, nearer):
        return 0.1 * nearer if nearer > 0 else self.back * nearer

    def solve(self, row):
        start = ["start"] if self.ready else []
        return [*start, *["right" if row["goal"] > 0 else "left"] * abs(row["goal"])]


class CraneToTheRight(Crane):
    """Gold moves to one side alone, and the prompt does not name the other one."""

    asked = "The hook hangs at metre {}, your crane is at metre 0. Drive there: a direction in each message."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(goal), "goal": goal} for goal in range(3, 10)]


class CraneToStart(CraneToTheRight):
    """The same, whose first act earns nothing."""

    ready = True


class CraneThatTakesBack(Crane):
    """A metre away costs what a metre towards the hook pays."""

    back = 0.1


class CraneThatPaysOnce(CraneToStart):
    """Only a metre that is nearer than ever before pays."""

    def setup(self, row):
        super().setup(row)
        self.nearest = abs(row["goal"])

    def paid(self, nearer):
        left = abs(self.at - self.row["goal"])
        closer, self.nearest = max(0, self.nearest - left), min(left, self.nearest)
        return 0.1 * closer


class CraneOnTime(CraneToTheRight):
    """There are so few turns that going to and fro earns less than to arrive."""

    max_turns = 10


@pytest.mark.parametrize("cls", [Crane, CraneToTheRight, CraneToStart])
def test_a_step_by_turns_with_its_opposite_is_found(cls):
    (one,) = found(acts_beside_gold_do_not_pay, cls, "default")
    assert isinstance(one, Finding)
    assert "'right'" in one.message
    assert "'left'" in one.message
    assert one.severity == "error"


@pytest.mark.parametrize("cls", [CraneThatTakesBack, CraneThatPaysOnce, CraneOnTime])
def test_steps_that_earn_no_more_with_their_opposites_are_let_be(cls):
    assert not found(acts_beside_gold_do_not_pay, cls, "default")


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Write north (y + 1), south, east (x + 1) or west.", [["north", "south", "east", "west"]]),
        ("Write *in* (enter) or *out* (leave the room).", [["in", "out"]]),
        ("Write a word (in or out).", [["in", "out"]]),
    ],
)
def test_remarks_behind_words_do_not_part_the_words_of_a_choice(prompt, words):
    assert alternatives_of(prompt) == words
