"""Passages within a prompt that were cut at a round number of characters or words."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

FEWEST_CHARS, FEWEST_WORDS, LONG, STARTS = 200, 100, 50, 4
FEWEST_PARTS, MOST_OPEN = 5, 2
_PART = re.compile(r"\S[^\n]*")
_WHOLE = re.compile(r"[^\w\s,;\u2013\u2014-]\s*\Z")


Place = tuple[int, int, int]
"""The paragraph that a passage begins with, which unfinished one it ends with, and how many of these there are."""


def cut_passages(prompts: Mapping[int, str]) -> dict[int, str]:
    """The passages of paragraphs that end within a sentence after a round number of characters or words, by row.

    Other paragraphs have to end with a full stop or the like, and no passage in the same place may be longer.
    """
    by_place: dict[Place, dict[int, str]] = defaultdict(dict)
    for row, prompt in prompts.items():
        for place, passage in _unfinished(prompt):
            by_place[place][row] = passage
    found: dict[int, str] = {}
    for passages in by_place.values():
        most_chars = max(map(len, passages.values()))
        most_words = max(len(passage.split()) for passage in passages.values())
        for row, passage in passages.items():
            chars, words = len(passage), len(passage.split())
            if (chars == most_chars and _is_round(chars, 0)) or (words == most_words and _is_round(0, words)):
                found.setdefault(row, passage)
    return dict(sorted(found.items()))


def _unfinished(prompt: str) -> Iterator[tuple[Place, str]]:
    parts = list(_PART.finditer(prompt))
    long = [part for part in parts if len(part.group()) >= LONG]
    unfinished = [part for part in parts[:-1] if not _WHOLE.search(part.group())]
    if len(long) >= FEWEST_PARTS and len(unfinished) <= MOST_OPEN:
        for number, last in enumerate(unfinished):
            for start, first in enumerate(parts[:STARTS]):
                yield (start, number, len(unfinished)), prompt[first.start() : last.end()]


def _is_round(chars: int, words: int) -> bool:
    """Whether a length was probably chosen: by five hundreds, or a power of two."""
    chosen = [count % 500 == 0 or count & (count - 1) == 0 for count in (chars, words)]
    return (chars >= FEWEST_CHARS and chosen[0]) or (words >= FEWEST_WORDS and chosen[1])
