"""Passages within a prompt that were cut at a round number of characters or words, or all at the same length."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from statistics import fmean

from grpo_env_sdk.late_patterns import regex

FEWEST_CHARS, FEWEST_WORDS, LONG, STARTS = 200, 100, 50, 4
FEWEST_PARTS, MOST_OPEN = 5, 2
FEWEST_ALIKE, MOST_SHARED, MOSTLY = 6, 0.5, 0.8
FEWEST_IN_PROSE, FEWEST_LENGTHS = 8, 4
"""How many passages of the same length say that they were cut there, and what share of their words they may share."""
_PART = regex(r"\S[^\n]*")
_WHOLE = regex(r"[^\w\s,;\u2013\u2014-]\s*\Z")


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


def as_long_as_all(prompts: Mapping[int, str]) -> dict[int, str]:
    """The paragraphs in one place that are all of one length, end within a sentence, and are no lines of a template."""
    for place in range(STARTS):
        parts = {row: _PART.findall(prompt)[place : place + 1] for row, prompt in prompts.items()}
        lines = {row: found[0] for row, found in parts.items() if found}
        different = list(dict.fromkeys(lines.values()))
        words = [set(line.split()) for line in different]
        if len(lines) < len(prompts) or len(different) < FEWEST_ALIKE or len({*map(len, different)}) > 1:
            continue
        shared = fmean(len(one & other) / len(one) for one, other in pairwise(words))
        whole = sum(bool(_WHOLE.search(line)) for line in different)
        if all(map(_is_prose, different)) and shared <= MOST_SHARED and whole <= (1 - MOSTLY) * len(different):
            return {row: line for row, line in lines.items() if not _WHOLE.search(line)}
    return {}


def _is_prose(line: str) -> bool:
    """Whether a line is a text in words of several lengths, and no list of numbers, code or cipher."""
    words = line.split()
    plain = [word for word in words if word.strip(".,;:!?'\"()").isalpha()]
    return (
        len(line) >= LONG
        and len(words) >= FEWEST_IN_PROSE
        and len(plain) >= MOSTLY * len(words)
        and len({len(word) for word in plain}) >= FEWEST_LENGTHS
    )


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
