"""Prompts that say what the answer is on some rows, and prompts that look like it."""

import pytest

from grpo_env_sdk.checking.contract.told_answers import answers_are_not_in_most_prompts
from tests.checking.trying import asking, found

BIRDS = [f"{colour}{bird}" for colour in ("red", "grey", "wood") for bird in ("wing", "start", "shank", "chat", "lark")]


def chosen(n, hint, right=True):
    """Which of three birds; every second prompt has a hint with the right one, or another."""
    bird, others = BIRDS[n * 7 % 15], [BIRDS[(n * 7 + step) % 15] for step in (4, 9)]
    told = hint.format(bird if right or n % 4 < 2 else others[0]) if n % 2 else ""
    return f"{told}Which bird sings at dawn in valley {n}: {', '.join(sorted([bird, *others]))}?", bird


TOLD = {
    "an answer": lambda n, rng: chosen(n, "(The answer is {}.) "),
    "a solution": lambda n, rng: chosen(n, "Solution: {}. "),
}
LET_BE = {
    "an opinion that is often wrong": lambda n, rng: chosen(n, "Ben thinks that the answer is {}. ", right=False),
    "options": lambda n, rng: (f"Bird {n}? The answer is {', '.join(BIRDS[n % 5 :: 5])} or none.", BIRDS[n % 5]),
    "no hint": lambda n, rng: chosen(n, ""),
    "found in the text": lambda n, rng: chosen(n, "In the valley we heard the {} at dawn. "),
}  # fmt: skip


@pytest.mark.parametrize("kind", TOLD)
def test_prompts_that_say_what_the_answer_is_are_found(kind):
    (finding,) = found(answers_are_not_in_most_prompts, asking(TOLD[kind]))
    assert "say what the answer is" in finding.message


@pytest.mark.parametrize("kind", LET_BE)
def test_prompts_without_such_a_hint_are_let_be(kind):
    assert found(answers_are_not_in_most_prompts, asking(LET_BE[kind])) == []
