"""C151: gold that is the time between two moments without its whole days, and times that are counted otherwise."""

from datetime import datetime, timedelta

import pytest

from grpo_env_sdk.checking.contract.second_opinion import gold_is_what_the_prompt_asks_for as right
from tests.checking.trying import asking, found

ASK = "The kiln was lit on {0:%A %d %B %Y at %H:%M} and went out on {1:%d %B %Y at %H:%M}. {2}"
MINUTES, HOURS = "How many minutes did it burn?", "How long did it burn, in hours with two decimals?"
LASTED = [95, 260, 1475, 610, 305, 2230, 820, 45, 3105, 500, 700, 1000]
ONE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def burnt(write, ask=MINUTES):
    """A kiln that burns for some hours, or for some days."""

    def row(n, rng):
        lit = datetime(2023, 2 + n % 9, 3 + 2 * n, 7 + n % 12, 10 * n % 60)
        lasted = timedelta(minutes=LASTED[n])
        return ASK.format(lit, lit + lasted, ask), write(lasted)

    return asking(row, 12)


def without_days(lasted):
    return timedelta(seconds=lasted.seconds)


@pytest.mark.parametrize("env", [
    burnt(lambda lasted: str(without_days(lasted) // ONE)),
    burnt(lambda lasted: f"{without_days(lasted) / HOUR:.2f}", HOURS),
])  # fmt: skip
def test_times_without_their_days_are_an_error(env):
    (finding,) = found(right, env)
    assert (finding.severity, "the time between two moments" in finding.message) == ("error", True)


@pytest.mark.parametrize("env", [
    burnt(lambda lasted: str(lasted // ONE)),
    burnt(lambda lasted: f"{lasted / HOUR:.2f}", HOURS),
    burnt(lambda lasted: str(lasted // HOUR), "How many hours did it burn?"),
    burnt(lambda lasted: str((lasted + HOUR * (lasted > 12 * HOUR)) // ONE)),
    burnt(lambda lasted: str(without_days(lasted) // ONE), f"{MINUTES} Full days do not count, only the rest."),
])  # fmt: skip
def test_right_times_and_other_ways_to_count_are_let_be(env):
    assert found(right, env) == []
