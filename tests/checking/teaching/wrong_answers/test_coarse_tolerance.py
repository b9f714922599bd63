"""Tolerances that a number of the prompt or of a reply falls into, and others."""

import math

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.wrong_answers.coarse_tolerance import (
    numbers_that_are_shown_are_not_near_enough as near,
)
from tests.checking.trying import asking, found


def within(share, said=""):
    def write(n, rng):
        net = rng.randint(4_000, 9_000)
        return f"A bill of {net / 100:.2f} euros has 3 % off. What is to be paid?{said}", f"{net * 0.97 / 100:.2f}"

    def score_episode(self, model, tokenizer, completion, wanted):
        try:
            return float(math.isclose(float(completion), float(wanted), rel_tol=share))
        except ValueError:
            return 0.0

    return type("Bills", (asking(write),), {"score_episode": score_episode})


class Rent(ToolEnv):
    """Transfer the rent."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Look up flat {n} and pay its rent of two months less 20.", "flat": n} for n in range(9)]

    def setup(self, row):
        self.paid = 0

    @tool
    def look_up(self, flat: int) -> str:
        """What two months of a flat cost."""
        return f"Two months of flat {flat} cost {500 + 30 * flat}."

    @tool
    def pay(self, amount: int) -> str:
        """Pay so much."""
        self.paid = amount
        return "Paid."

    @reward
    def right(self, flat):
        return abs(self.paid - (480 + 30 * flat)) <= 25

    def solve(self, row):
        yield call_message("look_up", flat=row["flat"])
        yield call_message("pay", amount=480 + 30 * row["flat"])
        yield "Paid."


class AtMost(Rent):
    """The same, where any amount up to the whole is right."""

    @reward
    def right(self, flat):
        return 200 < self.paid <= 500 + 30 * flat


@pytest.mark.parametrize("cls", [within(0.05), Rent])
def test_a_tolerance_that_a_shown_number_falls_into_is_an_error(cls):
    (finding,) = found(near, cls)
    assert "counts in place of" in finding.message


@pytest.mark.parametrize("cls", [within(0.01), within(0.05, " About as much is enough."), AtMost])
def test_smaller_and_declared_tolerances_and_limits_are_let_alone(cls):
    assert found(near, cls) == []
