"""Budgets that are stated as the number beyond which nothing is scored."""

from typing import Any

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.stated_limits import more_acts_than_allowed_are_not_gold as limits
from tests.checking.trying import found


class Leak(ToolEnv):
    """The valve behind which a pipe leaks, found with few measurements; the turns are counted."""

    max_turns = 14
    LIMIT = "Measuring takes long: with more than 5 measurements the work scores nothing."

    def build_dataset(self, tokenizer: Any) -> Any:
        ask = "A pipe has 32 valves; from one of them on the pressure of line {} is low. Which? {} Answer with it."
        return [{"prompt": ask.format(n, self.LIMIT), "valve": 3 + 5 * n % 29} for n in range(9)]

    def setup(self, row: Any) -> None:
        self.made = 0

    @tool
    def measure(self, valve: int) -> str:
        """Measure the pressure at a valve."""
        self.made += 1
        return "low" if valve >= self.row["valve"] else "high"

    def used(self) -> int:
        return self.turns - 1

    @reward
    def right(self, completion: Any, valve: int) -> bool:
        return self.used() <= 5 and answer_text(completion).strip() == str(valve)

    def solve(self, row: Any) -> Any:
        high, low = 0, 32
        while low - high > 1:
            middle = (high + low) // 2
            answered = yield call_message("measure", valve=middle)
            high, low = (high, middle) if answered[-1]["content"] == "low" else (middle, low)
        yield str(low)


class CountedLeak(Leak):
    """The measurements are counted."""

    def used(self) -> int:
        return self.made


class LeakByRounds(Leak):
    """Rounds are what is limited."""

    LIMIT = "Measuring takes long: with more than 5 rounds of measurements the work scores nothing."


class LeakWithoutLimit(Leak):
    """Nothing is limited."""

    LIMIT = "Take as long as you like with the measurements."

    def used(self) -> int:
        return 0


def test_a_budget_that_is_counted_in_messages_is_found() -> None:
    (finding,) = found(limits, Leak)
    assert "in the message with gold's call" in finding.message


@pytest.mark.parametrize("cls", [CountedLeak, LeakByRounds, LeakWithoutLimit])
def test_budgets_of_calls_and_of_rounds_are_let_be(cls: type) -> None:
    assert found(limits, cls) == []
