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
