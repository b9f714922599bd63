"""C151: gold that is the time in another city, by the offsets of winter all year round."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from grpo_env_sdk.checking.contract.second_opinion import gold_is_what_the_prompt_asks_for as right
from tests.checking.trying import asking, found

ZONES = {"Mumbai": "Asia/Kolkata", "Lisbon": "Europe/Lisbon", "San Francisco": "America/Los_Angeles"}
ASK = "On {:%d %B %Y} a talk begins in {} at {:%H:%M}. What is the local time in {} then?{}"


def talk(n, in_winter, more=""):
    here, there = [(a, b) for a in ZONES for b in ZONES if a != b][n % 6]
    then = datetime(2023, 1 + n % 12, 20, n * 7 % 24, 5 * n % 60)
    of_offsets = datetime(2023, 1, 1) if in_winter else then
    first, second = (of_offsets.replace(tzinfo=ZoneInfo(ZONES[one])).utcoffset() for one in (here, there))
    local = then + (second - first)
    return ASK.format(then, here, then, there, more), f"{local:%H:%M}"


def test_the_offsets_of_winter_are_wrong_in_summer():
    (finding,) = found(right, asking(lambda n, rng: talk(n, in_winter=True)))
    assert (finding.severity, "the local time in another city" in finding.message) == ("error", True)


@pytest.mark.parametrize(("in_winter", "more"), [
    (False, ""),
    (True, " Ignore daylight saving time."),
    (True, " Lisbon is always 8 hours ahead of San Francisco."),
    (True, " Mumbai has UTC+5:30, Lisbon UTC+0, San Francisco UTC-8."),
])  # fmt: skip
def test_right_times_and_offsets_of_the_prompt_are_let_alone(in_winter, more):
    assert found(right, asking(lambda n, rng: talk(n, in_winter, more))) == []


def test_one_time_by_several_hours_elsewhere_is_let_alone():
    late = asking(lambda n, rng: (talk(n, False)[0], f"{datetime(2023, 1, 1, n % 24) + timedelta(minutes=n):%H:%M}"))
    assert found(right, late) == []
