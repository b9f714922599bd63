"""Gold that gives the number beside that of a day, where next Monday and a move to Monday are the day itself."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.evidence.prompts.named_numbers import named_numbers
from grpo_env_sdk.checking.evidence.prompts.words_beside_named import one_beside_is_meant
from grpo_env_sdk.checking.teaching.forms.counting_from import positions_are_counted_as_told
from tests.checking.trying import found

WORKING_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


class OvenPlan(ToolEnv):
    """The schema counts days from 1, and the tool from 0; next Monday is a Monday, too."""

    max_turns = 3
    first = 0
    said = "Fire oven {oven} next {day}. After that, say so."

    def build_dataset(self, tokenizer):
        return [
            {"prompt": self.said.format(oven=oven, day=day), "oven": oven, "day": place}
            for oven in ("A", "B")
            for place, day in enumerate(WORKING_DAYS)
        ]

    def setup(self, row):
        self.fired = []

    @tool
    def fire(self, oven: str, day: int) -> str:
        """Plan a firing of next week.

        Args:
            oven: The oven.
            day: 1 = Mon to 5 = Fri.
        """
        self.fired.append((oven, day))
        return "Planned."

    @reward
    def fired_once(self, oven, day):
        return float(self.fired == [(oven, day + self.first)])

    def solve(self, row):
        yield call_message("fire", oven=row["oven"], day=row["day"] + self.first)
        yield "Planned."


class OvenMovedToADay(OvenPlan):
    said = "Move the firing of oven {oven} to {day}, at half past six, then say so."


class OvenAsNamed(OvenPlan):
    first = 1


class OvenADayAhead(OvenPlan):
    """The day before is meant."""

    said = "The guests of oven {oven} come next {day}. Fire it the day before, then say so."


class OvenOnTheDayAfter(OvenPlan):
    first = 2
    said = "The clay for oven {oven} comes next {day}. Move the firing to the day after {day}, then say so."


@pytest.mark.parametrize("flawed", [OvenPlan, OvenMovedToADay])
def test_gold_that_gives_the_number_beside_the_day_is_found(flawed):
    (finding,) = found(positions_are_counted_as_told, flawed)
    assert "'day' is 1 for Mon" in finding.message
    assert finding.severity in (None, "error")


@pytest.mark.parametrize("sound", [OvenAsNamed, OvenADayAhead, OvenOnTheDayAfter])
def test_days_as_named_and_the_days_beside_them_are_sound(sound):
    assert found(positions_are_counted_as_told, sound) == []


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("book it next Monday", False),
        ("next week on Monday", False),
        ("a day of the week", False),
        ("at half past nine on Monday", False),
        ("move it to Monday", False),
        ("note it on Monday. After that, say so", False),
        ("move it to the day after Monday", True),
        ("the week has begun: next day", True),
        ("Monday, put off by a day", True),
        ("the guests come on Monday; after that day", True),
    ],
)
def test_words_that_leave_the_day_as_it_is_do_not_mean_one_beside(text, beside):
    named = named_numbers("1 (Monday) to 5 (Friday)")
    assert named is not None
    assert one_beside_is_meant(text, named) is beside
