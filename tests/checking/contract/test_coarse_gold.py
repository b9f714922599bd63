"""Gold that is rounded further than its prompt says, and gold that only looks so."""

from fractions import Fraction

import pytest

from grpo_env_sdk.checking.contract.coarse_gold import gold_is_rounded_to_no_secret_step
from tests.checking.trying import asking, found


def to_step(value, step):
    return float(round(Fraction(value) / step) * step)


def bill(n, rng, step, said=""):
    weights = [(rng.randrange(110, 1900, 10), rng.randrange(105, 900, 5)) for _ in range(2 + n % 2)]
    lines = "\n".join(f"- {grams} g at {cents / 100:.2f} a kilo" for grams, cents in weights)
    exact = sum(Fraction(grams * cents, 100_000) for grams, cents in weights)
    return f"{lines}\nWhat is the sum, with two decimals{said}?", f"{to_step(exact, step):.2f}"


def share(n, rng, step):
    price, percent = rng.randrange(2000, 90000), rng.randrange(3, 48)
    text = f"What do you pay for {price / 100:.2f} with {percent}% off, with two decimals?"
    return text, f"{to_step(Fraction(price * (100 - percent), 10_000), step):.2f}"


STEP = Fraction(1, 20)


@pytest.mark.parametrize("write", [
    lambda n, rng: bill(n, rng, STEP),
    lambda n, rng: bill(n, rng, Fraction(1, 2)),
    lambda n, rng: share(n, rng, STEP),
    lambda n, rng: share(n, rng, Fraction(1)),
])  # fmt: skip
def test_a_step_that_no_prompt_names_is_an_error(write):
    (finding,) = found(gold_is_rounded_to_no_secret_step, asking(write))
    assert "which no prompt says" in finding.message


@pytest.mark.parametrize("write", [
    lambda n, rng: bill(n, rng, Fraction(1, 100)),
    lambda n, rng: bill(n, rng, STEP, ", rounded to multiples of 0.05"),
    lambda n, rng: bill(n, rng, STEP, ", to the nearest nickel"),
    lambda n, rng: (f"What are {n + 2} pencils at 1.35, with two decimals?", f"{(n + 2) * 1.35:.2f}"),
    lambda n, rng: (f"Estimate {rng.randrange(100, 900)} times 3.", f"{rng.randrange(10, 99)}.50"),
])  # fmt: skip
def test_what_is_rounded_as_told_or_comes_out_so_is_let_be(write):
    assert found(gold_is_rounded_to_no_secret_step, asking(write)) == []
