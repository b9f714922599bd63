"""A tolerance that does not depend on the size of a number, and tolerances that are meant."""

import pytest

from grpo_env_sdk.checking.teaching.wrong_answers.coarse_tolerance import numbers_that_are_shown_are_not_near_enough
from tests.checking.trying import asking, found

LENGTHS = [0.0004 * 4**n for n in range(12)]


def tolerant(right, lengths=LENGTHS):
    class Lengths(asking(lambda n, rng: (f"Turn bolt {n}, {1000 * lengths[n]:g} mm, into m.", repr(lengths[n])), 12)):
        def score_episode(self, model, tokenizer, completion, wanted):
            try:
                return float(right(float(completion), float(wanted)))
            except ValueError:
                return 0.0

        def solve(self, row):
            return row["wanted"]

    return found(numbers_that_are_shown_are_not_near_enough, Lengths)


def test_an_absolute_tolerance_beside_small_numbers_is_named():
    (finding,) = tolerant(lambda said, right: abs(said - right) < 0.1)
    assert finding.severity == "error"
    assert "0.004 scores as much as 0.0004" in finding.message


BELOW_ZERO = [1.5 * n - 8 for n in range(12)]


def test_a_relative_error_that_is_divided_by_the_signed_number_is_named():
    (finding,) = tolerant(lambda said, right: abs(said - right) / right < 0.02, BELOW_ZERO)
    assert finding.severity == "error"
    assert "6 of 12 rows whose answers are below zero" in finding.message


@pytest.mark.parametrize(("right", "lengths"), [
    (lambda said, right: abs(said - right) < 0.02 * abs(right), BELOW_ZERO),
    (lambda said, right: abs(said - right) <= 0.02 * right, LENGTHS),
    (lambda said, right: abs(said - right) < 0.1, [7.0 + n for n in range(12)]),
    (lambda said, right: round(said) == round(right), [float(n + 1) for n in range(12)]),
    (lambda said, right: True, LENGTHS),
])  # fmt: skip
def test_other_tolerances_are_let_alone(right, lengths):
    assert tolerant(right, lengths) == []
