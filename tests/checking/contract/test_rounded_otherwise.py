"""C163: gold that is rounded in another direction, or to another step, than its prompt says."""

from fractions import Fraction
from math import ceil, floor

import pytest

from grpo_env_sdk.checking.contract.rounded_otherwise import gold_is_rounded_as_its_prompt_says as as_said
from grpo_env_sdk.checking.evidence.prompts.named_rounding import named_rounding
from tests.checking.trying import asking, found

HALF, FIVE = Fraction(1, 2), Fraction(1, 20)


def stay(rng, how, said="is rounded up to the next half hour"):
    minutes = rng.randrange(31, 600)
    return f"A car stays for {minutes} minutes. The time {said}. How many hours are billed?", str(
        float(how(Fraction(minutes, 60) / HALF) * HALF)
    )


def heavier(rng, how):
    one, other = rng.randrange(20, 320), rng.randrange(20, 320)
    billed = how(Fraction(max(one, other), 10) / HALF) * HALF
    return (
        f"A box weighs {one / 10} kg, its volume stands for {other / 10} kg. The greater of them counts, rounded to "
        "the next half kilogram. Which weight counts?"
    ), f"{float(billed)} kg"


def eggs(rng, how, asked="How many full boxes of {} do {} eggs fill?"):
    box, count = rng.randrange(4, 13), rng.randrange(60, 400)
    return asked.format(box, count), str(how(Fraction(count, box)))


def prices(rng, how):
    one, other = rng.randrange(101, 999), rng.randrange(101, 999)
    paid = how(Fraction(one + other, 100) / FIVE) * FIVE
    return (
        f"Tea is {one / 100:.2f} and cake {other / 100:.2f}. What is the sum, rounded to the nearest 5 cents?",
        f"{float(paid):.2f}",
    )


def nearest(value):
    return floor(value + HALF)


SEATS = "At least how many buses of {} seats do {} pupils need?"
WRONG = {
    "hours to the nearest": lambda n, rng: stay(rng, nearest),
    "hours down": lambda n, rng: stay(rng, floor, "counts by each started half hour"),
    "kilograms to the nearest": lambda n, rng: heavier(rng, nearest),
    "boxes up": lambda n, rng: eggs(rng, ceil),
    "buses down": lambda n, rng: eggs(rng, floor, SEATS),
    "cents down": lambda n, rng: prices(rng, floor),
}
SOUND = {
    "hours up": lambda n, rng: stay(rng, ceil),
    "hours to the nearest": lambda n, rng: stay(rng, nearest, "is rounded to the nearest half hour"),
    "hours to the even one": lambda n, rng: stay(rng, round, "is rounded to the nearest half hour"),
    "hours that are not to be rounded up": lambda n, rng: stay(rng, floor, "is never rounded up to the next half hour"),
    "kilograms up": lambda n, rng: heavier(rng, ceil),
    "boxes down": lambda n, rng: eggs(rng, floor),
    "boxes to the nearest": lambda n, rng: eggs(rng, nearest, "About how many boxes of {} do {} eggs fill?"),
    "buses up": lambda n, rng: eggs(rng, ceil, SEATS),
    "buses with a driver more": lambda n, rng: eggs(rng, lambda value: ceil(value) + 3, SEATS),
    "cents to the nearest": lambda n, rng: prices(rng, nearest),
}


@pytest.mark.parametrize("kind", WRONG)
def test_gold_that_is_rounded_otherwise_is_an_error(kind):
    (finding,) = found(as_said, asking(WRONG[kind]))
    assert "as the prompt says" in finding.message
    assert (finding.severity, finding.output, finding.expected) == ("error", 0.0, 1.0)


@pytest.mark.parametrize("kind", SOUND)
def test_gold_that_is_rounded_as_told_is_let_be(kind):
    assert found(as_said, asking(SOUND[kind])) == []


def test_a_scorer_that_takes_the_right_number_too_is_let_be():
    class Near(asking(WRONG["kilograms to the nearest"])):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(abs(float(completion.split()[0]) - float(wanted.split()[0])) <= 0.5)

    assert found(as_said, Near) == []


@pytest.mark.parametrize(("text", "how", "step"), [
    ("Round up to the next quarter of an hour.", "up", Fraction(1, 4)),
    ("The sum is rounded down to two decimals.", "down", Fraction(1, 100)),
    ("Give it to the nearest 0.25 kg.", "to the nearest", Fraction(1, 4)),
    ("Round the price up to the next ten euros.", "up", Fraction(10)),
])  # fmt: skip
def test_the_direction_and_the_step_are_read(text, how, step):
    named = named_rounding(text)
    assert (named.how, named.steps[0]) == (how, step)


@pytest.mark.parametrize("text", [
    "How far is it to the nearest village?", "Do not round up to the next hour.", "She walks up to the nearest hill.",
    "Round up the weights to whole kilograms, and round down the price.",
])  # fmt: skip
def test_no_rounding_is_read_where_none_or_several_are_named(text):
    assert named_rounding(text) is None
