"""C164: questions that may be read in two ways, whose prompts do not tell which one gold has."""

from datetime import date, timedelta

import pytest

from grpo_env_sdk.checking.contract.second_opinion import gold_is_what_the_prompt_asks_for as gold_is_right
from grpo_env_sdk.checking.contract.two_readings import prompts_tell_which_reading_is_meant as told
from tests.checking.trying import asking, found

PAPERS, CITIES = ["claim", "permit", "card"], (["Leeds", "York", "Bath"], ["Denver", "Austin", "Tampa"])


def stamp(n, rng, month_first, text="A {paper} is stamped {date}. On which day, as YYYY-MM-DD?", between="/"):
    (day, month), year = rng.sample(range(1, 13), 2), 2010 + n % 7
    first, second = (month, day) if month_first else (day, month)
    shown = between.join((f"{first:02}", f"{second:02}", str(year)))
    where = CITIES[month_first][n // 2 % 3]
    return text.format(paper=PAPERS[n // 2 % 3], date=shown, where=where), f"{year}-{month:02}-{day:02}"


def days(n, rng, both, text="A fair lasts from {} to {}. How many days is that?"):
    start, apart = date(2025, 3, 1) + timedelta(3 * n), rng.randrange(3, 40)
    return text.format(start, start + timedelta(apart)), str(apart + both)


def odd(n):
    return n // 6 % 2 if n % 5 else n % 2


WRONG = {
    "the order of a date": lambda n, rng: stamp(n, rng, odd(n)),
    "the order of a date with dashes": lambda n, rng: stamp(n, rng, odd(n), between="-"),
    "whether both ends count": lambda n, rng: days(n, rng, odd(n)),
}
SOUND = {
    "one order": lambda n, rng: stamp(n, rng, 0),
    "a city that tells": lambda n, rng: stamp(n, rng, odd(n), "A {paper} of {where}, {date}. Which date is it?"),
    "a separator that tells": lambda n, rng: stamp(n, rng, odd(n), between="/-"[odd(n)]),
    "a name of the order": lambda n, rng: stamp(
        n, rng, odd(n), f"A paper of {{date}} ({'American' if odd(n) else 'British'} style). Which date, as YYYY-MM-DD?"
    ),
    "a number that tells": lambda n, rng: stamp(
        n, rng, odd(n), f"Box {900 * odd(n) + n}: a {{paper}} of {{date}}. From box 500 on, all are of Ohio. When?"
    ),
    "days that the prompt names": lambda n, rng: days(
        n, rng, odd(n), f"{{}} to {{}}{', both days included' * odd(n)}: how many days?"
    ),
    "days with one end": lambda n, rng: days(n, rng, 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_two_readings_that_nothing_tells_apart_are_an_error(kind):
    (finding,) = found(told, asking(WRONG[kind]))
    assert "gold by two readings, and none tells which" in finding.message
    assert (finding.severity, finding.output, finding.expected) == ("error", 0.0, 1.0)


@pytest.mark.parametrize("kind", SOUND)
def test_a_reading_that_prompts_tell_is_let_be(kind):
    assert found(told, asking(SOUND[kind])) == []


def test_a_scorer_that_takes_either_reading_is_let_be():
    class Either(asking(WRONG["whether both ends count"])):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion.isdecimal() and abs(int(completion) - int(wanted)) <= 1)

    assert found(told, Either) == []


def test_one_reading_but_on_a_few_rows_is_wrong_gold():
    few = asking(lambda n, rng: stamp(n, rng, n % 11 == 5))
    assert found(told, few) == []
    (finding,) = found(gold_is_right, few)
    assert "(the day first)" in finding.message
