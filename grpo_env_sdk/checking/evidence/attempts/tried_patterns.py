"""Patterns that match some of the names in a prompt, and what a tool replies to them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.evidence.prompts.bare_text import shared_beginning
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.late_patterns import regex

MOST_NAMES, SOME = 8, 0.5
_WORD = regex(r"[^\s\"'`«»“”,;:()\[\]{}]+")
_GLOB, _REGEX = regex(r"\bglobs?\b|\bwildcards?\b|\*.{0,10}\?", re.I), regex(r"\breg(?:ex|ular exp)", re.I)


def names_of(subject: Subject, rows: Sequence[int]) -> dict[int, list[str]]:
    """The words of each prompt that most other prompts do not have, in their order."""
    words = {row: [word.strip(".!?") for word in _WORD.findall(prompt_text(subject, row))] for row in rows}
    counted = Counter(word for found in words.values() for word in set(found))
    return {
        row: [word for word in dict.fromkeys(found) if word and counted[word] <= SOME * len(rows)]
        for row, found in words.items()
    }


def patterns_for(prompt: str, names: Sequence[str]) -> list[str]:
    """Patterns that match the first or the last of these names, with stars or as a regular expression."""
    forms: list[tuple[Callable[[str], str], str]] = [(str, "*")] if _GLOB.search(prompt) else []
    forms += [(re.escape, ".*")] if _REGEX.search(prompt) else []
    if not 2 <= len(names) <= MOST_NAMES:
        return []
    return list(dict.fromkeys(pattern for written, star in forms for pattern in _patterns(names, written, star)))


def _patterns(names: Sequence[str], written: Callable[[str], str], star: str) -> Iterator[str]:
    for count in range(2, len(names) + 1):
        for group in (names[:count], names[-count:]):
            before = shared_beginning(group)
            after = shared_beginning([name[len(before) :][::-1] for name in group])[::-1]
            if before or after:
                yield f"{written(before)}{star}{written(after)}"


def outcome(reply: str, names: Sequence[str]) -> str:
    """A reply with the names of its row as their places, so that replies on other rows can be the same."""
    for place, name in sorted(enumerate(names, 1), key=lambda one: -len(one[1])):
        reply = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w])", f"#{place}", reply)
    return reply
