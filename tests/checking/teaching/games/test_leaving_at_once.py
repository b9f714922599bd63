"""Tasks on the way to which so much is lost that leaving at once earns more."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.games.leaving_at_once import leaving_earns_less_than_the_task as leaving
from tests.checking.trying import found
from tests.gallery.broken.stairs_too_dear import Couriers


class Wells(MultiTurnEnv):
    """Bring up water from wells; each turn of the winch costs, and 'home' ends it."""

    max_turns = 14
    reward_range = (-0.8, 0.5)
    cost, rule, declares = 0.1, "Write 'turn' to turn the winch, 'pour' when the bucket is up, or 'home'.", True

    def build_dataset(self, tokenizer):
        rows = [
            {"prompt": f"Well {n} is {deep} turns deep. {self.rule}", "deep": deep} for n, deep in enumerate(DEPTHS)
        ]
        best = {deep: round(0.5 - self.cost * deep, 2) for deep in DEPTHS}
        return [row | ({"best_possible": best[row["deep"]]} if self.declares else {}) for row in rows]

    def setup(self, row):
        self.left = row["deep"]

    def step(self, action):
        said = answer_text(action).strip()
        if said == "pour" and not self.left:
            return "Fresh water!", 0.5, True, False, {}
        if said == "home":
            return "You are at home.", 0.0, True, False, {}
        self.left -= said == "turn" and self.left > 0
        return self.told(), -self.cost, False, False, {}

    def told(self):
        return f"{self.left} turns are left."

    def solve(self, row):
        yield from ["turn"] * row["deep"]
        yield "pour"


DEPTHS = (2, 9, 4, 11, 7, 8, 3, 10)


class Undeclared(Wells):
    declares = False


class CheapTurns(Wells):
    """Sound: the deepest well costs less than its water pays."""

    cost = 0.04


class LeftWhereItIsDear(Wells):
    """Sound: gold leaves where that earns more, and each row says so."""

    def build_dataset(self, tokenizer):
        return [row | {"best_possible": max(0.0, row["best_possible"])} for row in super().build_dataset(tokenizer)]

    def solve(self, row):
        return super().solve(row) if row["deep"] < 5 else ["home"]


class MayGoHome(Undeclared):
    """Sound: it is left to the model."""

    rule = "Write 'turn', 'pour' or, where it is not worth it, 'home'."


class DryWells(Undeclared):
    """A lost game: gold gets no water where the well is deep, and goes home at last."""

    def solve(self, row):
        yield from ["turn"] * row["deep"]
        yield "pour" if row["deep"] < 5 else "home"


class LuckyWinches(Undeclared):
    """Sound: some turns fail, and gold has bad luck on many rows."""

    cost, reward_range = 0.06, (-2, 0.5)
    max_turns = 40

    def setup(self, row):
        self.left = 4

    def step(self, action):
        slips = bool(self.np_random.integers(2)) and answer_text(action) == "turn"
        self.left += slips
        return super().step(action)

    def solve(self, row):
        told = yield "turn"
        while not str(told[-1]["content"]).startswith("0"):
            told = yield "turn"
        yield "pour"


@pytest.mark.parametrize(("cls", "how", "severity"), [
    (Wells, '"home"', "error"), (Undeclared, '"home"', "warning"), (Couriers, "Saying nothing", "warning"),
])  # fmt: skip
def test_leaving_that_earns_more_than_the_task_is_found(cls, how, severity):
    (finding,) = found(leaving, cls)
    assert f"{how} at once earns more than doing what is asked" in finding.message
    assert finding.severity == severity


@pytest.mark.parametrize("cls", [CheapTurns, LeftWhereItIsDear, MayGoHome, DryWells, LuckyWinches])
def test_tasks_that_pay_and_words_that_may_be_right_are_let_be(cls):
    assert found(leaving, cls) == []
