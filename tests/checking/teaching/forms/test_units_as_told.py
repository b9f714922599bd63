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


class Freight(ToolEnv):
    """A freight desk whose schema speaks of kilometres, and that reckons in metres."""

    max_turns = 3
    factor = 1000
    per_unit = 1

    def build_dataset(self, tokenizer):
        asked = "Order the van for the tour to {}, which is {:g} km long; from 30 km on it is the large one."
        return [{"prompt": asked.format(town, 4.5 * (n + 1)), "km": 4.5 * (n + 1)} for n, town in enumerate(NAMES)]

    def setup(self, row):
        self.ordered = None

    @staticmethod
    def size(metres):
        return "large" if metres >= 30000 else "small" if metres >= 1000 else "none"

    @tool
    def order(self, distance: float, minutes: int = 10) -> str:
        """Order a van.

        Args:
            distance: The way in kilometres.
            minutes: In how many minutes it should come.
        """
        self.ordered = self.size(distance * self.per_unit)
        return "Ordered."

    @reward
    def right(self, km):
        return self.ordered == self.size(1000 * km)

    def solve(self, row):
        return [call_message("order", distance=self.factor * row["km"]), "Done."]


class InKilometres(Freight):
    factor = 1
    per_unit = 1000


class InMetres(Freight):
    """It says that it takes metres."""

    @tool
    def order(self, distance: float) -> str:
        """Order a van.

        Args:
            distance: The way in metres; a kilometre has 1000.
        """
        self.ordered = self.size(distance)
        return "Ordered."


def test_a_unit_that_the_prompt_shortens_is_the_same_unit_though_sizes_are_scored():
    (finding,) = found(numbers_are_in_the_unit_that_is_told, Freight)
    assert "name 'distance' in km, and gold calls it with 1000 times that on 8 rows" in finding.message


@pytest.mark.parametrize("cls", [InKilometres, InMetres])
def test_a_shortened_unit_that_is_meant_is_let_alone(cls):
    assert found(numbers_are_in_the_unit_that_is_told, cls) == []


class AsTheNumberStands(Freight):
    """The schema speaks of metres, and the tool takes the number for kilometres."""

    factor = 1
    per_unit = 1000

    @tool
    def order(self, distance: float) -> str:
        """Order a van.

        Args:
            distance: The way in metres.
        """
        self.ordered = self.size(distance * self.per_unit)
        return "Ordered."


class Converted(AsTheNumberStands):
    """Sound: the tool takes metres, and gold gives them."""

    factor = 1000
    per_unit = 1


class EitherIsRead(AsTheNumberStands):
    """Sound: both are understood."""

    @tool
    def order(self, distance: float) -> str:
        """Order a van.

        Args:
            distance: The way in metres.
        """
        self.ordered = self.size(distance * (1000 if distance < 1000 else 1))
        return "Ordered."


def test_a_number_that_is_not_converted_to_the_unit_of_the_schema_is_found():
    (finding,) = found(numbers_are_in_the_unit_that_is_told, AsTheNumberStands)
    assert "asks for 'distance' in the unit 'm', and gold calls it with the number of the prompt" in finding.message


@pytest.mark.parametrize("cls", [Converted, EitherIsRead])
def test_a_converted_number_is_let_alone(cls):
    assert found(numbers_are_in_the_unit_that_is_told, cls) == []
