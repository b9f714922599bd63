"""E359: tools that reply to a call with what an earlier one was to know."""

from typing import Literal

import pytest

from grpo_env_sdk import call_message, tool
from grpo_env_sdk.checking.episode.replies_to_earlier_calls import replies_are_to_their_own_call
from tests.checking.trying import found
from tests.gallery.broken.rain_of_the_first_year import RainArchive, rain_of


class FirstPageOnly(RainArchive):
    """Whatever was read first is what is read from then on."""

    def setup(self, row):
        self.page = None

    @tool
    def rain(self, town: str, year: int) -> dict[str, int]:
        """Rain of a town in a year, in millimetres."""
        self.page = self.page or {"mm": rain_of(town, year)}
        return self.page


class OneLook(RainArchive):
    """Gold looks once; the other unit is one that the schema lists."""

    @tool
    def rain(self, town: str, year: int, unit: Literal["mm", "inch"]) -> float:
        """The rain of a town in a year."""
        if (town, year) not in self.pages:
            self.pages[town, year] = rain_of(town, year) / (25.4 if unit == "inch" else 1)
        return self.pages[town, year]

    def solve(self, row):
        yield call_message("rain", town=row["town"], year=row["years"][0], unit="mm")
        yield str(rain_of(row["town"], row["years"][0]) - rain_of(row["town"], row["years"][1]))


class KeptByAll(RainArchive):
    """Sound: the key has all that was asked for."""

    @tool
    def rain(self, town: str, year: int) -> int:
        """The rain of a town in a year."""
        return self.pages.setdefault((town, year), rain_of(town, year))


class TellsWhose(RainArchive):
    """Sound: the reply says which year it is of, as one page can be open."""

    @tool
    def rain(self, town: str, year: int) -> str:
        """The rain of a town in a year."""
        return self.pages.setdefault(town, f"The page of {year}, which lies open: {rain_of(town, year)} mm.")


class SaidToLast(RainArchive):
    """Sound: the description says that the first year is the one that counts."""

    @tool
    def rain(self, town: str, year: int) -> int:
        """The rain of a town in a year; the archive is asked once, and gives the same number then."""
        return self.pages.setdefault(town, rain_of(town, year))


class Chooses(RainArchive):
    """Sound: the tool chooses something, and what is chosen stays."""

    @tool
    def rain(self, town: str, year: int) -> int:
        """Choose the year whose rain is meant."""
        return self.pages.setdefault(town, rain_of(town, year))


class Counts(RainArchive):
    """Sound: each look lowers what is left."""

    def setup(self, row):
        self.left = 900

    @tool
    def rain(self, town: str, year: int) -> int:
        """The credit that is left after the rain of a year was looked at."""
        self.left -= rain_of(town, year)
        return self.left


class Rents(RainArchive):
    """Sound: a gauge is rented, and the town keeps it."""

    rain = None

    @tool
    def rent_gauge(self, town: str, year: int) -> int:
        """The gauge of a town."""
        return self.pages.setdefault(town, rain_of(town, year))

    def solve(self, row):
        for year in row["years"]:
            yield call_message("rent_gauge", town=row["town"], year=year)
        yield str(rain_of(row["town"], row["years"][0]) - rain_of(row["town"], row["years"][1]))


class GetsATicket(RainArchive):
    """Sound: a second ticket is the first one."""

    @tool
    def rain(self, town: str, year: int) -> int:
        """Get a ticket for the archive of a town."""
        return self.pages.setdefault(town, rain_of(town, year))


class Refuses(RainArchive):
    """Sound: a second look is refused."""

    @tool
    def rain(self, town: str, year: int) -> str:
        """The rain of a town in a year."""
        first = self.pages.setdefault(town, year)
        return str(rain_of(town, year)) if first == year else "One look a town."


@pytest.mark.parametrize("env", [RainArchive, FirstPageOnly])
def test_a_reply_that_was_kept_for_other_arguments_is_an_error(env):
    (finding,) = found(replies_are_to_their_own_call, env)
    assert (finding.severity, "on 8 of 8 rows" in finding.message) == ("error", True)
    assert finding.output != finding.expected


def test_a_second_call_that_gold_never_makes_is_a_warning():
    (finding,) = found(replies_are_to_their_own_call, OneLook)
    assert (finding.severity, "inch" in finding.message) == ("warning", True)


@pytest.mark.parametrize("env", [KeptByAll, TellsWhose, SaidToLast, Chooses, Counts, Refuses, Rents, GetsATicket])
def test_replies_of_their_own_and_what_is_said_to_last_are_let_be(env):
    assert found(replies_are_to_their_own_call, env) == []
