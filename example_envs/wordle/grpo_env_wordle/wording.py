"""The text of the rules and the answers, and how marks are parsed from an answer."""

import re
from collections.abc import Sequence
from typing import cast

from grpo_env_wordle.marks import Mark, Marks

RULES = (
    "Guess the hidden word of {letters} letters. Answer with one word and nothing else. "
    "You are told for each letter of your guess: 'here' (right, and in its place), 'elsewhere' (in the word, "
    "at another place) or 'no' (not in the word, or not once more). You have {guesses} guesses."
)
CHOICES = " The word is one of: {choices}."
FITTING = " Each guess has to fit all that you were told before."


def rules(letters: int, guesses: int, choices: Sequence[str], must_fit: bool) -> str:
    """The prompt of a game."""
    told = RULES.format(letters=letters, guesses=guesses)
    return told + (CHOICES.format(choices=", ".join(choices).upper()) if choices else "") + FITTING * must_fit


def in_words(guess: str, marks: Marks) -> str:
    """`CAT: C here, A no, T elsewhere.`"""
    told = ", ".join(f"{letter} {mark}" for letter, mark in zip(guess.upper(), marks, strict=True))
    return f"{guess.upper()}: {told}."


def read_marks(text: str) -> Marks:
    """The marks in a text of `in_words`."""
    return tuple(cast("list[Mark]", re.findall(r"\b[A-Z] (here|elsewhere|no)\b", text)))


def what_remains(guesses: int, secret: str) -> str:
    """How many guesses are left, and the word if none are."""
    if guesses == 0:
        return f"No guesses left. The word was {secret.upper()}."
    return f"{guesses} guess{'es' * (guesses > 1)} left."
