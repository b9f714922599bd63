"""The mark of each letter of a guess: here, elsewhere, or no."""

from collections import Counter
from typing import Literal

Mark = Literal["here", "elsewhere", "no"]
Marks = tuple[Mark, ...]


def marks_of(guess: str, secret: str) -> Marks:
    """The marks of a guess; a letter is marked at most as often as the secret has it, right places first."""
    left = Counter(letter for letter, right in zip(secret, guess, strict=True) if letter != right)
    marks: list[Mark] = []
    for letter, right in zip(guess, secret, strict=True):
        if letter == right:
            marks.append("here")
        elif left[letter]:
            left[letter] -= 1
            marks.append("elsewhere")
        else:
            marks.append("no")
    return tuple(marks)
