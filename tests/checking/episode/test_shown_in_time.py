"""E354: answers that are shown after the last turn, where gold knows on its way what no reply had shown."""

import pytest

from grpo_env_sdk import call_message, tool
from grpo_env_sdk.checking.episode.shown_in_time import what_is_asked_for_is_shown_in_time
from tests.checking.trying import found
from tests.gallery.broken.signposts_without_end import Signposts


def test_gold_that_knows_the_way_hides_no_row_that_cannot_be_won():
    (finding,) = found(what_is_asked_for_is_shown_in_time, Signposts)
    assert (finding.severity, "Gold wins there only" in finding.message) == ("error", True)


class Longer(Signposts):
    max_turns = 9


class Walked(Signposts):
    def solve(self, row):
        for village in row["way"][:-1]:
            yield call_message("read_signpost", village=village)
        yield row["last"]


class Asked(Signposts):
    """A search in own words is another way to the answer."""

    @tool
    def search(self, words: str) -> str:
        """Search the leaflet of the walk.

        Args:
            words: What to search for.
        """
        return f"The walk ends in {self.row['last']}." if "terminus" in words else "Nothing found."

    def solve(self, row):
        yield call_message("search", words=f"terminus, walk of {row['way'][0]}")
        yield row["last"]


@pytest.mark.parametrize("env", [Longer, Walked, Asked])
def test_ways_that_are_walked_or_short_enough_are_let_be(env):
    assert found(what_is_asked_for_is_shown_in_time, env) == []
