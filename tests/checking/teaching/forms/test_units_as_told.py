"""Numbers of calls in another unit than the one that the prompt and the tool name."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.forms.units_as_told import numbers_are_in_the_unit_that_is_told
from tests.checking.trying import found


class Timer(ToolEnv):
    """A timer that is set in minutes, as it says."""

    max_turns = 3
    factor = 60

    def build_dataset(self, tokenizer):
        asked = "Set the {} timer to {} minutes."
        return [{"prompt": asked.format(what, 3 + 2 * n), "minutes": 3 + 2 * n} for n, what in enumerate(NAMES)]

    def setup(self, row):
        self.set_to = None

    @tool
    def start(self, length: float) -> str:
        """Start the timer.

        Args:
            length: How long, in minutes.
        """
        self.set_to = length
        return "Started."

    @reward
    def right(self, minutes):
        return self.set_to == self.factor * minutes

    def solve(self, row):
        return [call_message("start", length=self.factor * row["minutes"]), "Done."]


NAMES = ("egg", "tea", "rice", "bread", "soup", "bean", "fish", "cake")


class InMinutes(Timer):
    factor = 1


class InSeconds(Timer):
    """It says that it takes seconds."""

    @tool
    def start(self, length: float) -> str:
        """Start the timer.

        Args:
            length: How long, in seconds; a minute has 60.
        """
        self.set_to = length
        return "Started."


class EitherUnit(Timer):
    """Both are understood."""

    @reward
    def right(self, minutes):
        return self.set_to in (minutes, 60 * minutes)


def test_a_number_in_another_unit_than_told_is_found():
    (finding,) = found(numbers_are_in_the_unit_that_is_told, Timer)
    assert "name 'length' in minutes, and gold calls it with 60 times that on 8 rows" in finding.message


@pytest.mark.parametrize("cls", [InMinutes, InSeconds, EitherUnit])
def test_a_number_in_the_unit_that_is_told_is_let_alone(cls):
    assert found(numbers_are_in_the_unit_that_is_told, cls) == []
