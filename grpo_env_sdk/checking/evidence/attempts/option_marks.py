"""Whether an answer is one of several that its prompt offers: the mark of an option, or one of two words."""

import re

from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.late_patterns import regex

FEWEST = 2
_MARK = regex(r"(?:(?<=\s)|^)[(\[]?([^\W_])[).:\]]\s+\S", re.MULTILINE)
"""A single letter or digit with a sign behind it, at the start of a line or inside of it."""
_OR = r"\s*(?:/|\||,?\s\b(?:or|oder|ou|o|of|eller|или|veya)\b)\s*"


def is_offered(prompt: str, answer: str) -> bool:
    """Whether a prompt offers this answer and at least one other."""
    core = bare(answer).strip("()[]")
    marks = {mark.casefold() for mark in _MARK.findall(prompt)}
    if core in marks:
        return len(marks) >= FEWEST
    word = rf"[`'\"*]?{re.escape(core)}[`'\"*]?"
    return bool(core) and bool(
        re.search(rf"(?<!\w){word}{_OR}[`'\"*]?\w|\w[`'\"*]?{_OR}{word}(?!\w)", prompt, re.IGNORECASE)
    )
