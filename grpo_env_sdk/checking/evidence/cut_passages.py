"""Passages within a prompt that were cut at a round number of characters or words."""

import re

FEWEST_CHARS, FEWEST_WORDS, LONG, STARTS = 200, 100, 50, 4
FEWEST_PARTS, MOST_OPEN = 5, 2
_PART = re.compile(r"\S[^\n]*")
_WHOLE = re.compile(r"[^\w\s,;\u2013\u2014-]\s*\Z")


def cut_passage(prompt: str) -> str:
    """A passage of paragraphs that ends within a sentence after a round number of characters or words; else nothing.

    Other paragraphs have to end with a full stop or the like.
    """
    parts = list(_PART.finditer(prompt))
    long = [part for part in parts if len(part.group()) >= LONG]
    unfinished = [part for part in parts[:-1] if not _WHOLE.search(part.group())]
    if len(long) < FEWEST_PARTS or len(unfinished) > MOST_OPEN:
        return ""
    passages = (prompt[first.start() : last.end()] for last in unfinished for first in parts[:STARTS])
    return next((passage for passage in passages if _is_round(len(passage), len(passage.split()))), "")


def _is_round(chars: int, words: int) -> bool:
    """Whether a length was probably chosen: by five hundreds, or a power of two."""
    chosen = [count % 500 == 0 or count & (count - 1) == 0 for count in (chars, words)]
    return (chars >= FEWEST_CHARS and chosen[0]) or (words >= FEWEST_WORDS and chosen[1])
