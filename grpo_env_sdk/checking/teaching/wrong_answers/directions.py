"""Gold with the word, the letter or the sign that says in which direction turned into its opposite."""

import re
from collections.abc import Sequence

from grpo_env_sdk.checking.evidence.prompts.opposites import first_direction, folded, opposite
from grpo_env_sdk.checking.teaching.wrong_answers.number_misses import NUMBER
from grpo_env_sdk.checking.teaching.wrong_answers.text_misses import Change

FEWEST = 2
"""In how many answers each of two directions has to be."""


def direction_turned(texts: Sequence[str]) -> Change:
    """From a short answer with a direction to the same with its opposite, if several of these texts have that."""
    known = [direction for text in texts if (direction := _direction(text))]

    def change(text: str) -> str | None:
        found = None if NUMBER.fullmatch(text) else _place(text)
        if found is None or min(known.count(folded(found.group())), known.count(folded(opposite(found)))) < FEWEST:
            return None
        return f"{text[: found.start()]}{opposite(found)}{text[found.end() :]}"

    return change


def _direction(text: str) -> str:
    """The one direction of an answer, in small letters; empty where it has none."""
    found = _place(text)
    return folded(found.group()) if found else ""


def _place(text: str) -> re.Match[str] | None:
    """Where a short answer says the first of its directions, beside something else."""
    found = first_direction(text)
    return None if found and found.group() == text.strip() else found
