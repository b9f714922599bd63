"""Users who say the same on rows with different gold."""

import pytest

from grpo_env_sdk import tool
from grpo_env_sdk.checking.teaching.telling.shown_facts import what_gold_needs_is_shown
from tests.checking.trying import found
from tests.gallery.broken.half_of_the_day_unsaid import Pickups


class ToldWhole(Pickups):
    """Sound: the hour is said as it is booked."""

    def said(self, hour):
        return f"{hour} would be good."


class ToldByTheHalf(Pickups):
    """Sound: the half of the day is said too."""

    def said(self, hour):
        return f"{hour % 12} {'pm' if hour > 12 else 'am'} would be good."


class ToldWhenAsked(Pickups):
    """Sound: the half of the day is said to those who ask again."""

    def user(self, messages):
        hour = self.row["hour"]
        asked = sum(one["role"] == "assistant" for one in messages)
        return None if self.booked else self.said(hour) if asked < 2 else "In the evening." if hour > 12 else "Early."


class OnFile(Pickups):
    """Sound: a tool has the habits of each caller."""

    @tool
    def find_caller(self, name: str) -> str:
        """What is known of a caller.

        Args:
            name: The name.
        """
        return "evenings only" if self.CALLERS.get(name, 0) > 12 else "mornings only"


class OnAList(Pickups):
    """Sound: the list of the day, which gold does not read, has it."""

    @tool
    def list_shifts(self) -> str:
        """The shift of the caller."""
        return "night shift" if self.row["hour"] > 12 else "day shift"


def test_rows_on_which_the_user_says_the_same_are_named():
    (finding,) = found(what_gold_needs_is_shown, Pickups)
    assert "4 pairs of rows" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("sound", [ToldWhole, ToldByTheHalf, ToldWhenAsked, OnFile, OnAList])
def test_rows_that_somebody_tells_apart_are_let_be(sound):
    assert found(what_gold_needs_is_shown, sound) == []
