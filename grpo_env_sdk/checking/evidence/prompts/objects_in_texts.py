"""Objects in JSON that an answer has in it: those that a prompt shows, and one in the place of another."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from grpo_env_sdk.checking.evidence.prompts.asked_templates import SLOT
from grpo_env_sdk.late_patterns import regex

MOST_SHOWN, MOST_CHARS = 3, 600
"""How many objects of a prompt are answers to try, and how long one is at most."""
_CHOICE = regex(r'("[^"\n]*")(?:\s*(?:,|\bor\b|/|\|)+\s*"[^"\n]*"(?!\s*:))+')
_PLACE = regex(r"(?<=[:\[,])\s*(?:\.\.\.|…|<[^<>\n]{1,60}>|\[?[A-Z][A-Z_]+\]?)(?=\s*[,}\]])")
_OPEN = regex(r"(?<=[:\[,])\s*(?:\{\s*(?:\.\.\.|…)\s*(\})|\[\s*(?:\.\.\.|…)\s*(\]))(?=\s*[,}\]])")
"""An object or a list that is left open."""
_TAG = regex(r"<(\w+)>\s*$")


def objects_for(prompt: str, frames: Sequence[str]) -> Iterator[str]:
    """The objects that a prompt shows, with their tags around them, and in the forms that the scorer reads."""
    for shown, around in islice(_shown(prompt), MOST_SHOWN):
        yield around.replace(SLOT, shown)
        yield from (frame.replace(SLOT, shown) for frame in frames)
    if any(sign in frame for frame in frames for sign in "{[<`") or "json" in prompt.casefold():
        yield from (frame.replace(SLOT, "{}") for frame in (*frames, SLOT))


def object_in_place(answer: str, own: Any, other: Any) -> Iterator[str]:
    """An answer with another object in the place of the one that was read from it, or of one of several."""
    if isinstance(own, list) and isinstance(other, Mapping):
        yield from (text for item in own[:MOST_SHOWN] for text in object_in_place(answer, item, other))
    if isinstance(own, Mapping) and isinstance(other, list):
        yield from (text for item in other[:MOST_SHOWN] for text in object_in_place(answer, own, item))
    if not any(isinstance(own, kind) and isinstance(other, kind) for kind in (Mapping, list)):
        return
    for start, end, value in _objects(answer):
        if value == own:
            with suppress(TypeError, ValueError):
                yield answer[:start] + json.dumps(other, ensure_ascii=False) + answer[end:]
                return


def first_object(text: str) -> Any:
    """The first object or list with something in it that a text holds; None where there is none."""
    return next((value for _, _, value in _objects(text) if value), None)


def _objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Where objects and lists are in a text, and what they are; those within others too."""
    decoder = json.JSONDecoder()
    for found in re.finditer(r"[{\[]", text):
        with suppress(ValueError, RecursionError):
            value, end = decoder.raw_decode(text, found.start())
            yield found.start(), end, value


def _shown(prompt: str) -> Iterator[tuple[str, str]]:
    """The objects of a prompt with something in each place, the first of several choices too, and their tags."""
    text = _OPEN.sub(lambda found: " {}" if found[1] else " []", _CHOICE.sub(r"\1", prompt))
    text = _PLACE.sub(' "x"', text)
    after = 0
    found = [one for one in _objects(text) if isinstance(one[2], dict) and one[2] and one[1] - one[0] <= MOST_CHARS]
    for start, end, value in found:
        if start < after:
            continue  # within another
        after = end
        tag = _TAG.search(text[:start])
        around = f"<{tag[1]}>{SLOT}</{tag[1]}>" if tag and f"</{tag[1]}>" in text[end:] else SLOT
        yield json.dumps(value, ensure_ascii=False), around
