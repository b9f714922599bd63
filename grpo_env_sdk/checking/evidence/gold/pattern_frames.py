"""The forms in which a scorer reads an answer: its patterns with a slot where they take the answer from."""

import re
from collections.abc import Iterable, Iterator

from grpo_env_sdk.checking.evidence.author_code.pattern_texts import text_with
from grpo_env_sdk.checking.evidence.prompts.asked_templates import SLOT

MOST_FRAMES = 6
_TRIED = ("7", "2.5", "x", "A", "2021-03-04", "7:05", "yes", "{}")
"""One of these fits in the place of most answers."""


def frames_of(patterns: Iterable[str]) -> list[str]:
    """Each pattern that takes a part out of a text, as a text with a slot in its place."""
    return list(dict.fromkeys(frame for pattern in patterns for frame in _frame(pattern)))[:MOST_FRAMES]


def _frame(pattern: str) -> Iterator[str]:
    frame = text_with(pattern, SLOT)
    if frame is None or frame.strip() == SLOT or frame.count(SLOT) != 1:
        return
    for value in _TRIED:
        found = re.search(pattern, frame.replace(SLOT, value))
        if found and found[1] == value:
            yield frame
            return
