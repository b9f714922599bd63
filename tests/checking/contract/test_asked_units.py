"""C175: gold that is converted into the unit that is asked on some rows and not on others, and gold that is right."""

import pytest

from grpo_env_sdk.checking.contract.asked_units import gold_is_in_the_unit_that_is_asked as right
from tests.checking.trying import asking, found

PRINT = "Press {3} prints {0} pages a {1}. How many minutes does it need for {2} pages?"
HIKE = "Ana walks a path of {0} {1} {2} times. How many metres does she walk?"
RATES = {"minute": 1, "hour": 60}


def printed(gold, ask=PRINT):
    """Presses whose rate is for a minute or for an hour."""

    def row(n, rng):
        unit = ("minute", "hour")[n % 3 == 0]
        rate = 12 + n
        return ask.format(rate, unit, 120 * (n + 3) * rate, 70 - n), str(gold(120 * (n + 3), RATES[unit]))

    return asking(row, 12)


def walked(gold, ask=HIKE):
    def row(n, rng):
        unit, size = (("metres", 1), ("km", 1000))[n % 3 == 0]
        return ask.format(21 + n, unit, 3 + n % 5), str(gold((21 + n) * (3 + n % 5), size))

    return asking(row, 12)


@pytest.mark.parametrize("env", [
    printed(lambda times, size: times),
    printed(lambda times, size: times * 60),
    walked(lambda value, size: value),
])  # fmt: skip
def test_gold_in_another_unit_on_some_rows_is_an_error(env):
    (finding,) = found(right, env)
    assert (finding.severity, "on 4 of 12 rows" in finding.message or "on 8 of 12" in finding.message) == (
        "error",
        True,
    )


@pytest.mark.parametrize("env", [
    printed(lambda times, size: times * size),
    printed(lambda times, size: times, PRINT.replace("minutes", "{1}s")),
    printed(lambda times, size: times, "Every {1} one of {0} presses prints {2} pages. How many does each print?"),
    walked(lambda value, size: value * size),
    walked(lambda value, size: value, HIKE.replace("How many metres", "How far, in {1},")),
    walked(lambda value, size: value * size + size, HIKE),
])  # fmt: skip
def test_gold_in_the_unit_that_is_asked_is_let_be(env):
    assert found(right, env) == []


def test_scorers_that_take_either_unit_are_let_be():
    class Either(walked(lambda value, size: value)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion in (wanted, str(1000 * int(wanted))))

    assert found(right, Either) == []
