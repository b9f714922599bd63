"""Answers that no scorer can be blamed for, and scores that say nothing where no gold is known."""

import json

import pytest

from grpo_env_sdk.checking.evidence.attempts.odd_texts import DEEP_JSON, LONG_NUMBER, severity_of
from grpo_env_sdk.checking.findings.finding import Undecided
from grpo_env_sdk.checking.score.values import scoring_never_fails
from grpo_env_sdk.checking.teaching.reaching import answers_make_a_difference
from tests.checking.trying import found


def scoring(score, declared=(0.0, 1.0)):
    """An environment of exams with five options, without gold, whose score is `score(answer, number of the row)`."""

    class Scored:
        reward_range = declared

        def build_dataset(self, tokenizer):
            return [{"prompt": f"Exam {n}. Answer with one letter, A to E.", "number": n} for n in range(20)]

        def score_episode(self, model, tokenizer, completion, number):
            return score(completion.strip(), number)

    return Scored


def depth(value):
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def as_json(completion, number):
    """Whichever goes too deep: the parser (up to Python 3.11), or the scorer's own function."""
    try:
        said = json.loads(completion)
    except ValueError:
        return 0.0
    return float(depth(said) == 0 and said == {"number": number})


@pytest.mark.parametrize(("names", "error", "severity"), [
    ([DEEP_JSON], "RecursionError", "info"),
    ([DEEP_JSON, "an empty answer"], "RecursionError", None),
    ([DEEP_JSON], "TypeError", None),
    ([f"{DEEP_JSON} in the format of gold"], "RecursionError", "info"),
    ([LONG_NUMBER], "ValueError", "info"),
    ([LONG_NUMBER, "zero"], "ValueError", None),
])  # fmt: skip
def test_only_what_is_too_deep_or_too_long_for_python_weighs_less(names, error, severity):
    assert severity_of(names, error) == severity


def test_deep_json_that_raises_is_info_where_all_else_is_scored():
    (finding,) = found(scoring_never_fails, scoring(as_json))
    assert (finding.severity, "RecursionError" in finding.message) == ("info", True)


def test_an_exam_with_marks_below_zero_makes_a_difference_by_its_letters():
    def marks(said, number):
        return 0.0 if said not in list("ABCDE") else 1.0 if said == "ABCDE"[number % 5] else -0.25

    assert found(answers_make_a_difference, scoring(marks, (-0.25, 1.0))) == []


@pytest.mark.parametrize(("always", "declared", "severity"), [
    (0.0, (-1.0, 1.0), "undecided"), (0.0, (0.0, 1.0), "undecided"), (0.5, (0.0, 1.0), "warning"),
    (1.0, (0.0, 1.0), "error"), (1.0, (-1.0, 1.0), "error"),
])  # fmt: skip
def test_one_score_for_all_answers_weighs_what_it_proves(always, declared, severity):
    (item,) = found(answers_make_a_difference, scoring(lambda said, number: always, declared))
    given = "undecided" if isinstance(item, Undecided) else item.severity or answers_make_a_difference.severity
    assert given == severity
