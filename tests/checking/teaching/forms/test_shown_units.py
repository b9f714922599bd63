"""Units of examples that a prompt asks for, and scorers that read the digit in them as the answer, or nothing."""

import re

import pytest

from grpo_env_sdk.checking.evidence.prompts.shown_units import templates_with_units
from grpo_env_sdk.checking.teaching.forms.frames import the_form_that_is_asked_for_is_accepted as right
from tests.checking.trying import found

NUMBER = r"-?\d+(?:\.\d+)?"


def bricks(ask, pattern, place=-1):
    """The volume of a stack, of which one number that a pattern finds is compared; the class has no `solve`."""

    class Bricks:
        def build_dataset(self, tokenizer):
            return [
                {"prompt": f"A crate is {n} by {n + 1} by 3. {ask}", "volume": 3 * n * (n + 1)} for n in range(5, 17)
            ]

        def score_episode(self, model, tokenizer, completion, volume):
            numbers = re.findall(pattern, completion)
            return float(bool(numbers) and numbers[place] == str(volume))

    return Bricks


@pytest.mark.parametrize(("ask", "pattern", "said"), [
    ("Finish with the volume and its unit, as in 24 cm^3.", NUMBER, "90 cm^3"),
    ("How large is it? Reply with the volume, e.g. `24 dm3`.", NUMBER, "90 dm3"),
    ("Gib das Volumen mit Einheit an, wie 24 cm^3.", NUMBER, "90 cm^3"),
    ("Write the volume with its unit, such as 24 litres.", r"^\d+$", "90 litres"),
])  # fmt: skip
def test_a_unit_that_is_shown_and_refused_is_named(ask, pattern, said):
    (finding,) = found(right, bricks(ask, pattern))
    assert (finding.input, finding.output, finding.expected) == (said, 0, 1)


def test_a_scorer_that_reads_the_number_before_the_unit_is_let_be():
    assert found(right, bricks("Finish with the volume and its unit, as in 24 cm^3.", NUMBER, place=0)) == []


@pytest.mark.parametrize("prompt", [
    "Answer with the number alone, not like 24 cm^3.",
    "Write the number without a unit, such as 24 for 24 cm^3.",
    "Give the price of a box such as 24 cm^3.",
    "Boxes hold little, such as 24 cm^3. How much do five hold?",
    "Write it as a product of two numbers above 1, such as 4x9.",
    "Give the time, as in 24 minutes and 5 seconds.",
])  # fmt: skip
def test_what_is_no_example_of_an_answer_is_let_be(prompt):
    assert list(templates_with_units(prompt, "90")) == []


def test_an_answer_that_has_its_unit_needs_no_other():
    assert list(templates_with_units("Finish with the unit, as in 24 cm^3.", "90 cm^3")) == []
