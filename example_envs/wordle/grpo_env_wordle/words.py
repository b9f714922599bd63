"""The words of each length, written for this project."""

from functools import cache
from importlib.resources import files
from random import Random
from typing import Literal, get_args

Letters = Literal[3, 4, 5, 6]
LETTERS: tuple[Letters, ...] = get_args(Letters)
FEWEST = 20


@cache
def words_of(letters: int) -> tuple[str, ...]:
    """Every word with that many letters, in alphabetical order."""
    return tuple((files("grpo_env_wordle") / "words" / f"{letters}.txt").read_text(encoding="utf-8").split())


def some_words(letters: int, count: int | None, seed: int) -> tuple[str, ...]:
    """A number of random words, the same for the same seed; None is all."""
    every = words_of(letters)
    if count is None:
        return every
    if not FEWEST <= count <= len(every):
        raise ValueError(f"words is {count!r}; there are {FEWEST} to {len(every)} of {letters} letters.")
    return tuple(sorted(Random(seed).sample(every, count)))
