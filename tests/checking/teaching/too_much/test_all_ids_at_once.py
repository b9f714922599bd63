"""Acts for all that a tool lists, where no gold is known."""

import pytest

from grpo_env_sdk import tool
from grpo_env_sdk.checking.teaching.too_much.all_ids_at_once import acts_on_all_that_is_listed_are_not_paid as check
from tests.checking.trying import found
from tests.gallery.broken.every_window_shut import Windows


class OneByOne(Windows):
    """One call for each window."""

    @tool
    def shut(self, window: str) -> str:
        """Shut a window."""
        self.shut_ones.add(window)
        return "It is shut."


class AsAsked(Windows):
    """Sound: no other windows are shut."""

    def as_asked(self, wanted):
        return wanted == self.shut_ones


class MoreIsFine(Windows):
    asked = "Storm {}: shut the windows on the {} side."


class OthersAreStuck(Windows):
    """Sound: only the windows that are to be shut can be."""

    @tool
    def shut(self, windows: list[str]) -> str:
        """Shut windows."""
        movable = {one["window"] for one in self.row["windows"] if one["side"] == self.row["side"]}
        self.shut_ones |= set(windows) & movable
        return "They are shut, but for those that are stuck."


class AllOfThem(Windows):
    """Sound: all windows are on the side that is asked for."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [row | {"windows": [one | {"side": row["side"]} for one in row["windows"]]} for row in rows]


class AnyRoute(Windows):
    """Sound: nothing that is listed has to be done."""

    def as_asked(self, wanted):
        return True


@pytest.mark.parametrize("cls", [Windows, OneByOne])
def test_an_act_for_all_that_is_listed_is_found(cls):
    (finding,) = found(check, cls)
    assert "A call of shut with each 'window" in finding.message
    assert "8 of 8 rows" in finding.message


@pytest.mark.parametrize("cls", [AsAsked, MoreIsFine, OthersAreStuck, AllOfThem, AnyRoute])
def test_acts_that_lose_or_change_nothing_more_are_not_reported(cls):
    assert found(check, cls) == []
