"""Probabilities and parts that a prompt asks for without a form, refused as fractions."""

from fractions import Fraction

import pytest

from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted as right
from grpo_env_sdk.checking.teaching.forms.part_forms import fraction_of
from tests.checking.trying import found


def parts(ask, read=float, written=lambda part: float(part)):
    """What part of a box is red; `read` reads the answer, and no `solve` says how it is written."""

    class Parts:
        def build_dataset(self, tokenizer):
            return [
                {
                    "prompt": f"A box holds {n % 7 + 2} red and {n % 11 + 3} blue balls. {ask}",
                    "answer": written(Fraction(n % 7 + 2, n % 7 + n % 11 + 5)),
                }
                for n in range(40)
            ]

        def score_episode(self, model, tokenizer, completion, answer):
            try:
                return float(abs(read(completion.strip().rstrip(".")) - float(answer)) <= 1e-3)
            except (ValueError, ZeroDivisionError):
                return 0.0

    return Parts


def close(said):
    return float(Fraction(said))


OPEN = (
    "What is the probability that a ball is red?",
    "What fraction of the balls is red? Reply with it alone.",
    "Wie groß ist die Wahrscheinlichkeit, dass eine Kugel rot ist?",
)


@pytest.mark.parametrize("ask", OPEN)
@pytest.mark.parametrize("written", [float, lambda part: f"{float(part):.4f}"])
def test_fractions_that_are_refused_are_a_warning(ask, written):
    (finding,) = found(right, parts(ask, written=written))
    assert (finding.severity, "as a fraction" in finding.message) == ("warning", True)
    assert "/" in finding.input


def test_a_fraction_that_is_asked_for_and_refused_is_an_error():
    ask = "Which part is red? Answer with a fraction such as 3/4."
    (finding,) = found(right, parts(ask))
    assert (finding.severity, "as the fraction that it asks for" in finding.message) == ("error", True)
    assert found(right, parts(ask, read=close)) == []


def test_percentages_are_tried_where_chances_are_asked_for():
    (finding,) = found(right, parts("What is the chance that a ball is red?"))
    assert "as a fraction and as a percentage" in finding.message


@pytest.mark.parametrize("ask", OPEN)
def test_a_scorer_that_reads_fractions_is_let_be(ask):
    assert found(right, parts(ask, read=close)) == []


@pytest.mark.parametrize("ask", [
    "What is the probability that a ball is red? Round to four places.",
    "What is the probability that a ball is red, as a decimal?",
    "Give the probability of red as a number between 0 and 1.",
    "Estimate the probability that the next ball is red.",
    "How many balls per red one are there, such as 0.25?",
])  # fmt: skip
def test_a_prompt_that_says_how_it_is_written_is_let_be(ask):
    assert found(right, parts(ask)) == []


@pytest.mark.parametrize(("text", "fraction"), [
    ("0.16666666666666666", Fraction(1, 6)), ("0.1667", Fraction(1, 6)), ("0.25", Fraction(1, 4)),
    (".5", Fraction(1, 2)),
    ("0.37", None), ("0.8731", None), ("3.5", None), ("0.17", None), ("0.142857142857142857", Fraction(1, 7)),
])  # fmt: skip
def test_a_decimal_means_a_fraction_only_where_it_is_a_simple_one(text, fraction):
    assert fraction_of(text) == fraction
