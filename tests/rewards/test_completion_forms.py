"""Scorers that read text as messages, or messages as text, get a hint; other errors get none."""

import re

import pytest

from grpo_env_sdk.rewards.completion_forms import form_hint

MESSAGES = [{"role": "assistant", "content": "4"}]


@pytest.mark.parametrize(
    ("read", "completion", "hint"),
    [
        (lambda completion: completion[0]["content"], "four", "That is text"),
        (lambda completion: completion[0]["content"], "", "That is text"),
        (lambda completion: completion[-1].get("content"), "four", "That is text"),
        (lambda completion: re.search("4", completion), MESSAGES, "That is a list of messages"),
        (lambda completion: completion.strip(), MESSAGES, "That is a list of messages"),
        (lambda completion: float(completion), MESSAGES, "That is a list of messages"),
        (lambda completion: float(completion), "four", ""),
        (lambda completion: {}[completion], "four", ""),
        (lambda completion: [][1], "four", ""),
        (lambda completion: len(3), "four", ""),
    ],
)
def test_the_wrong_form_of_a_completion_is_named(read, completion, hint):
    with pytest.raises(Exception) as caught:  # noqa: PT011  # whatever Python says of it
        read(completion)
    found = form_hint(caught.type.__name__, str(caught.value))
    assert found.partition("? ")[2].startswith(hint) if hint else found == ""


def for_trl(prompts, completions):
    return [float(one == prompt) for prompt, one in zip(prompts, completions, strict=True)]


@pytest.mark.parametrize("call", [
    lambda given: for_trl(**given), lambda given: for_trl([], **given), lambda given: given["completions"],
])  # fmt: skip
def test_a_function_for_batches_that_gets_one_completion_is_told_of_from_trl(call):
    with pytest.raises((TypeError, KeyError)) as caught:
        call({})
    for message in (str(caught.value), f"row 3: {caught.value} (graders.py:7)"):
        assert "rewards = [from_trl(it)]" in form_hint(caught.type.__name__, message)
    assert form_hint("KeyError", "row 3: 'completion' (graders.py:7)") == ""
