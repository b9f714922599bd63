"""C151: gold that counts days between two dates as if years or months had other lengths, and other ways to count."""

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


KINDS = "Tent {2} was lent on {0:%d %B %Y} and came back on {1:%d %B %Y}. How many rental days is that? {3}"


def months_of_30(begin, end):
    return 360 * (end.year - begin.year) + 30 * (end.month - begin.month) + end.day - begin.day


def years_of_365(begin, end):
    return months_of_30(begin, end) + 5 * (end.year - begin.year)


def tents(write, said):
    return casks(write, KINDS.replace("{3}", said), days=10)


@pytest.mark.parametrize("env", [
    tents(months_of_30, ""),
    tents(years_of_365, "Answer with the number."),
    tents(lambda begin, end: months_of_30(begin, end) + 1, "Both of these days count."),
])  # fmt: skip
def test_days_that_give_each_month_30_are_an_error(env):
    (finding,) = found(right, env)
    assert (finding.severity, "30" in finding.message) == ("error", True)


@pytest.mark.parametrize("env", [
    tents(lambda begin, end: (end - begin).days + 1, "Both of these days count."),
    tents(lambda begin, end: (end - begin).days - 1, "Both of these days are not counted."),
    tents(months_of_30, "A month is charged as thirty days."),
    tents(months_of_30, "Interest is due for them."),
    casks(months_of_30, "Combien de jours y a-t-il du {0:%d.%m.%Y} au {1:%d.%m.%Y}, si le mois compte 30 jours?"),
    casks(months_of_30, KINDS.replace("rental", "chargeable").replace("{3}", ""), days=10),
    tents(lambda begin, end: (end - begin).days - (end.day > 20), "It is lent out every day but the closed ones."),
])  # fmt: skip
def test_months_of_their_own_and_days_of_a_kind_are_let_be(env):
    assert found(right, env) == []
