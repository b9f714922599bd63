"""Numbers within a box, tags or after hashes are the answer, whatever a text says around them."""

import re

import pytest

from grpo_env_sdk.checking.evidence.prompts.answer_frames import answer_span
from grpo_env_sdk.checking.teaching.wrong_answers.parts_of_gold import every_part_of_gold_counts
from tests.checking.trying import asking, found

SUMS = lambda n, rng: (  # noqa: E731
    f"Add {n + 1}/{n + 9} and 1/2, as \\boxed{{\\frac{{a}}{{b}}}}.",
    f"By 2 steps the sum is \\boxed{{\\frac{{{3 * n + 11}}}{{{2 * n + 18}}}}}.",
)


def boxed(pattern):
    class Boxed(asking(SUMS, 16)):
        def score_episode(self, model, tokenizer, completion, wanted):
            said = re.findall(pattern, completion)
            return float(bool(said) and said[-1] == re.findall(pattern, wanted)[-1])

    return found(every_part_of_gold_counts, Boxed)


def test_a_box_that_is_read_up_to_its_first_brace_is_named():
    (finding,) = boxed(r"\\boxed\{(.*?)\}")
    assert finding.severity == "error"
    assert "another number 2 of 2" in finding.message


def test_a_box_that_is_read_to_its_end_is_let_alone_and_so_are_the_numbers_around_it():
    assert boxed(r"\\boxed\{(.*)\}") == []


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"so \boxed{\frac{1}{2}} is it", r"\frac{1}{2}"),
        (r"\boxed{1} or \boxed{2}", "2"),
        ("<think>3</think><answer>4\n5</answer>", "4\n5"),
        ("2 + 2\n#### 4", "4"),
        (r"\boxed{never closed", r"\boxed{never closed"),
        ("just 7", "just 7"),
    ],
)
def test_the_answer_is_where_the_last_mark_is(text, answer):
    assert text[slice(*answer_span(text))] == answer
