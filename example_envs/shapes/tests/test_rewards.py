"""Each reward by itself, and what they add up to."""

import pytest
from grpo_env_sdk.rewards.scorer import Scorer

from grpo_env_shapes import ShapesEnv
from grpo_env_shapes.answer import score_format, score_value


@pytest.mark.parametrize(
    ("text", "value", "form"),
    [
        ("Answer: 3", 1.0, 1.0),
        ("I count three.\nAnswer: 3", 1.0, 1.0),
        ("<think>Answer: 4</think>\nAnswer: 3", 1.0, 1.0),
        ("Answer: 3.", 1.0, 0.0),
        ("There are 3", 1.0, 0.0),
        ("Answer: 13", 0.0, 1.0),
        ("Answer: 3 or 4", 0.0, 0.0),
        ("Answer: 2\nAnswer: 3", 1.0, 0.0),
        ("Answer: 3\nThat was easy", 0.0, 0.0),
        ("", 0.0, 0.0),
    ],
)
def test_the_value_and_the_form_are_paid_apart(text, value, form):
    assert (score_value(text, "3"), score_format(text)) == (value, form)


def test_a_colour_counts_in_any_case():
    assert score_value("It is Red.", "red") == 1.0


def test_the_value_weighs_four_times_as_much_as_the_form():
    score = ShapesEnv().score_episode(None, None, [{"role": "assistant", "content": "Answer: 9"}], answer="3")
    assert score == pytest.approx(0.2)


def test_the_rewards_have_the_names_that_runs_log():
    assert [item.name for item in Scorer(ShapesEnv()).rubric.rewards] == ["answer", "format"]
