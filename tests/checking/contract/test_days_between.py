"""C151: gold that counts the days between two dates as if no year had a 29 February, and other ways to count them."""

from datetime import date, timedelta

import pytest

from grpo_env_sdk.checking.contract.second_opinion import gold_is_what_the_prompt_asks_for as right
from tests.checking.trying import asking, found

ASK = "The wine of cask {2} went in on {0:%d %B %Y} and came out on {1:%d %B %Y}. How many days was it in there?"
LEAP_DAYS = [date(year, 2, 29) for year in range(2000, 2030, 4)]


def casks(write, ask=ASK, days=170):
    """Casks of which every third or so has a 29 February."""

    def row(n, rng):
        begin = date(2018, 1, 5) + timedelta(days=83 * n)
        end = begin + timedelta(days=days + 7 * n)
        return ask.format(begin, end, n), str(write(begin, end))

    return asking(row, 24)


def leap_days(begin, end):
    return sum(begin < day <= end for day in LEAP_DAYS)


def as_if_no_year_had_one(begin, end):
    return (end - begin).days - leap_days(begin, end)


@pytest.mark.parametrize("env", [
    casks(as_if_no_year_had_one),
    casks(as_if_no_year_had_one, days=1500),
    casks(lambda begin, end: as_if_no_year_had_one(begin, end) + 1, f"{ASK} Both days count."),
])  # fmt: skip
def test_days_that_leave_out_29_february_are_an_error(env):
    (finding,) = found(right, env)
    assert (finding.severity, "365 days in each year" in finding.message) == ("error", True)


@pytest.mark.parametrize("env", [
    casks(lambda begin, end: (end - begin).days),
    casks(lambda begin, end: (end - begin).days - 1),
    casks(as_if_no_year_had_one, f"{ASK} No year here has more than 365 of them."),
    casks(as_if_no_year_had_one, f"{ASK} A 29 February does not count."),
    casks(lambda begin, end: (end - begin).days - (end.day > 20)),
])  # fmt: skip
def test_days_of_the_calendar_and_of_years_of_their_own_are_let_be(env):
    assert found(right, env) == []
