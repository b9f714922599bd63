"""How texts are compared where only their words count, and what they begin with."""

from collections.abc import Sequence


def bare(text: str) -> str:
    """A text without case, extra spaces and punctuation around it."""
    return " ".join(text.split()).strip(".!?,;:*'\"` ").casefold()


def shared_beginning(texts: Sequence[str]) -> str:
    """What all texts begin with, letter by letter; nothing where there are none."""
    first, last = min(texts, default=""), max(texts, default="")
    count = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:count]
