"""Answers in one of the kinds between which a prompt leaves the choice, refused and accepted."""

from fractions import Fraction

import pytest

from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted as forms
from tests.checking.trying import asking, found

NAMES = ("one", "two", "three", "four", "five", "six", "seven", "eight")
PARTS = [Fraction(2 * n + 1, 16) for n in range(8)]


def part(ask):
    return lambda n, rng: (f"{2 * n + 1} of 16 eggs are brown. {ask}", str(PARTS[n]))


def option(ask):
    birds = ("wren", "rook", "swift")
    return lambda n, rng: (f"Nest {n}? {ask}\nA) {birds[0]}\nB) {birds[1]}\nC) {birds[2]}", "ABC"[n % 3])


@pytest.mark.parametrize(("kind", "write"), [
    ("a percentage", part("Give their share as a percentage, a fraction or a decimal.")),
    ("a decimal", part("Which share is that? Fractions and decimals are both fine.")),
    ("words", lambda n, rng: (f"What is {n} + 4? Answer in digits or in words.", str(n + 4))),
    ("digits", lambda n, rng: (f"{n} from {2 * n}? Numerals or words, as you like.", NAMES[n])),
    ("the text", option("Reply with the letter or the full text of the right one.")),
])  # fmt: skip
def test_a_kind_of_answer_that_a_choice_names_is_an_error_where_it_is_refused(kind, write):
    (finding,) = found(forms, asking(write, 8), "default")
    assert finding.severity == "error"
    assert f"as {kind}" in finding.message


@pytest.mark.parametrize("write", [
    part("Give their share as a fraction, or as a decimal if it has at most two places."),
    part("The share is shown as a fraction or a decimal. Which part of them is it, in lowest terms?"),
    part("Answer with a fraction and not with a decimal or a percentage."),
    lambda n, rng: (f"Name a fraction or a decimal between {n}/9 and 1: {n}/8, 2/9, 0.1?", f"{n}/8"),
    lambda n, rng: (f"Add all fractions and decimals: {2 * n + 1}/8 and 0.", f"{2 * n + 1}/8"),
    option("Reply with the letter alone, and with no text."),
    part("Give their share with the calculator, which accepts fractions or decimals."),
    part("Farms write shares as fractions or decimals."),
    part("You may say a fraction or a decimal to the tool. Answer with a common fraction alone."),
    lambda n, rng: (f"Say numbers in digits or words: {n} + 4? Answer in digits, not in words.", str(n + 4)),
])  # fmt: skip
def test_what_is_no_free_choice_is_let_alone(write):
    assert not any("which it allows" in item.message for item in found(forms, asking(write, 8), "default"))


def test_all_kinds_that_are_read_are_right():
    class Read(asking(part("Answer with a fraction, a decimal or a percentage."), 8)):
        def score_episode(self, model, tokenizer, completion, wanted):
            said = completion.strip()
            value = Fraction(said.removesuffix("%")) if said.strip("-0123456789./%") == "" and said else None
            return float(value is not None and value / (100 if said.endswith("%") else 1) == Fraction(wanted))

    assert not any("which it allows" in item.message for item in found(forms, Read, "default"))
