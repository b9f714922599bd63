"""Each reward by itself, what they add up to, and the weight that moves."""

import pytest
from grpo_env_sdk import load
from grpo_env_sdk.rewards import AdaptiveWeight, Rubric
from grpo_env_sdk.rewards.scorer import Scorer

from grpo_env_arithmetic import ArithmeticEnv
from grpo_env_arithmetic.answer import score_format

ROW = {"prompt": [{"role": "user", "content": "What is 3 + 4 ?"}], "expression": "3 + 4", "answer": 7}


def score(text):
    return ArithmeticEnv().score_episode(None, None, [{"role": "assistant", "content": text}], **ROW)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Answer: 7", 1.0),
        ("3 + 4 = 7\nAnswer: 7", 1.0),
        ("<think>Let me see. Answer: 8</think>\nAnswer: 7\n", 1.0),
        ("Answer: -7", 1.0),
        ("answer: 7", 0.5),
        ("**Answer:** 7", 0.5),
        ("The answer: 7.", 0.5),
        ("Answer: 7\nThat was easy.", 0.5),
        ("Answer: 6\nAnswer: 7", 0.5),
        ("7", 0.0),
        ("Answer:", 0.0),
        ("Answer: seven", 0.0),
        ("The answer follows. 7", 0.0),
        ("", 0.0),
    ],
)
def test_the_form_of_an_answer_is_paid_in_part(text, form):
    assert score_format(text) == form


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: 7", 1.0),
        ("7", 0.8),
        ("It is 7, so answer: 7.", 0.9),
        ("Answer: 7.0", 0.9),
        ("Answer: 8", 0.2),
        ("Answer: 77", 0.2),
        ("Answer: 6\nAnswer: 7\nAnswer: 8", 0.1),
        ("", 0.0),
        ("so " * 98 + "Answer: 7", 0.9),
        ("so " * 99 + "\nAnswer: 7", 1.0 - 0.2 * 0.01),
        ("so " * 149 + "\nAnswer: 7", 1.0 - 0.2 * 0.51),
        ("so " * 500 + "\nAnswer: 7", 0.8),
        ("9" * 5000, 0.0),
    ],
)
def test_answer_form_and_length_add_up(text, expected):
    assert score(text) == pytest.approx(expected)


def test_only_length_can_take_away():
    assert score("so " * 500) == pytest.approx(-0.2)
    assert load("arithmetic-v1").traits.reward_range == pytest.approx((-0.2, 1.0))


def test_the_weight_of_the_form_falls_once_it_is_learnt_and_counts_in_training_alone():
    rubric = Rubric.of(ArithmeticEnv())
    (form,) = (item for item in rubric.rewards if isinstance(item, AdaptiveWeight))
    assert form.name == "format"
    before = form.state()
    for _ in range(40):
        form.observe(1.0)
    assert form.weight == pytest.approx(0.1)
    assert rubric.combine([0.0, 1.0, 0.0]).value == pytest.approx(0.2)
    assert rubric.combine([0.0, 1.0, 0.0], training=True).value == pytest.approx(0.1 / 4.1)
    form.restore(before)


def test_the_rewards_have_the_names_that_runs_log():
    assert [item.name for item in Scorer(ArithmeticEnv()).rubric.rewards] == ["answer", "format", "length"]
