"""Rules over options in a sentence and over numbers of questions: few rows prove one that has no exception."""

import pytest

from grpo_env_sdk.checking.contract.told_by_form import form_does_not_tell_the_answer
from grpo_env_sdk.checking.evidence.prompts.option_features import listed_in_a_sentence
from tests.checking.trying import asking, found

WORDS = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay", "koi", "lynx", "mole", "newt"]


def offered(below, asked="How much is {a} + {b}", listed="{}: {}, {} or {}? Write the number.", count=24):
    """Sums with the right one of three numbers in a sentence, and how many of them are smaller."""

    def write(n, rng):
        a, b = rng.randint(100, 900), rng.randint(100, 900)
        wrong = [a + b + (-1 if place < below(rng) else 1) * rng.choice([7, 20]) * (place + 1) for place in (0, 1)]
        options = rng.sample([a + b, *wrong], 3)
        return listed.format(asked.format(a=a, b=b), *options), str(a + b)

    return asking(write, count)


def quiz(place, number="Question {}. ", count=14):
    """Questions with numbers, and the place of the right one of four options."""

    def write(n, rng):
        options = rng.sample([word for word in WORDS if word != WORDS[n]], 3)
        options.insert(place(n + 1, rng), WORDS[n])
        listed = "\n".join(f"{mark}) {one}" for mark, one in zip("ABCD", options, strict=True))
        return f"{number.format(n + 1)}Which animal is hidden in {WORDS[n][::-1]!r}?\n{listed}", "ABCD"[
            options.index(WORDS[n])
        ]

    return asking(write, count)


def findings(cls):
    return [(one.severity, one.message) for one in found(form_does_not_tell_the_answer, cls, "default")]


@pytest.mark.parametrize("listed", [
    "{}: {}, {} or {}? Write the number.",
    "{}? Choose one: {}, {}, {}.",
    "{}?\n{} / {} / {}\nWrite the right one.",
])  # fmt: skip
def test_the_number_between_the_others_is_found_in_a_sentence(listed):
    ((severity, message),) = findings(offered(lambda rng: 1, listed=listed))
    assert (severity, "in the middle of the others" in message) == ("error", True)


@pytest.mark.parametrize("tariff", [
    "The first hour costs {a} cents, the rest {b}. What is due",
    "A taxi takes {a} cents, and {b} for the first 3 km. What is due",
    "It is {a} for the second night, {b} for the next three nights. What is due",
])  # fmt: skip
def test_the_first_hour_of_a_tariff_asks_for_no_order(tariff):
    ((severity, message),) = findings(offered(lambda rng: 1, tariff))
    assert (severity, "in the middle of the others" in message) == ("error", True)


@pytest.mark.parametrize("cls", [
    offered(lambda rng: rng.randint(0, 2)),
    offered(lambda rng: rng.randint(0, 2), "The first hour costs {a}, the rest {b}. What is due"),
    offered(lambda rng: 1, "Days {a} and {b} are over. Which was the second day of the fair"),
    offered(lambda rng: 1, "Runners {a} and {b} wait. The second gets silver. Whose time gets it"),
    offered(lambda rng: 1, "Three clocks show other times than {a} and {b}. Which is the middle one"),
    offered(lambda rng: 1, "Runners {a} and {b} wait. Which time came second"),
    offered(lambda rng: 1, "After {a} and {b}, which is the 50th percentile"),
    offered(lambda rng: 1, count=6),
])  # fmt: skip
def test_any_place_and_orders_that_are_asked_for_are_let_alone(cls):
    assert findings(cls) == []


@pytest.mark.parametrize("number", ["Question {}. ", "#{}: ", "{}. ", "Puzzle {}: "])
@pytest.mark.parametrize("place", [lambda n, rng: n % 4, lambda n, rng: (3 * n + 1) % 4])
def test_the_place_that_follows_the_number_of_a_question_is_found_on_few_rows(place, number):
    ((severity, message),) = findings(quiz(place, number))
    assert (severity, "modulo 4" in message, "all 14 rows" in message) == ("error", True, True)


@pytest.mark.parametrize("cls", [
    quiz(lambda n, rng: n % 4, ""),
    quiz(lambda n, rng: rng.randrange(4)),
    quiz(lambda n, rng: n % 4, count=7),
    quiz(lambda n, rng: n % 4, "Take the remainder of {} modulo 4. "),
])  # fmt: skip
def test_a_place_that_no_number_shows_or_too_few_rows_prove_is_let_alone(cls):
    assert findings(cls) == []


def test_days_in_their_usual_order_follow_the_number_that_is_the_task():
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    listed = "\n".join(f"{mark}) {day}" for mark, day in zip("ABCDEFG", days, strict=True))

    def write(n, rng):
        return f"Case {n}. The ship left on a Monday and came back {n} days later. When?\n{listed}", "ABCDEFG"[n % 7]

    assert findings(asking(write, 14)) == []


def test_items_of_a_sentence_are_as_long_as_those_between_commas():
    assert listed_in_a_sentence("Is it in Rome, Oslo, or Bern? Answer with one word.") == ["Rome", "Oslo", "Bern"]
    assert listed_in_a_sentence("So 5 and 2.5 are 7.5, 6.5 or 8.5 here.") == ["7.5", "6.5", "8.5"]
    assert listed_in_a_sentence("Yes or no: is Oslo, in the north, cold?") == []


DESKS = ["bills", "parcels", "returns"]


def routed(first):
    """Letters with a number whose first digit is `first`, and the desk that each is for."""

    def write(n, rng):
        desk = rng.choice(DESKS)
        words = " ".join(rng.sample(WORDS, 4))
        return f"Case {first(desk, rng)}{rng.randint(100, 999)}: {words}. Which desk, {', '.join(DESKS)}?", desk

    return asking(write)


def test_the_first_digit_of_a_number_that_stands_for_the_answer_is_found():
    ((severity, message),) = findings(routed(lambda desk, rng: 4 + DESKS.index(desk)))
    assert (severity, "The first digit of the id" in message) == ("error", True)


def test_numbers_that_begin_with_any_digit_are_let_alone():
    assert findings(routed(lambda desk, rng: rng.randint(4, 6))) == []
