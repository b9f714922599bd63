"""The mark that a prompt asks for at the end of an answer, and lists of words that it wants in a text."""

import re

from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.opinions_on_texts import lists_in
from grpo_env_sdk.late_patterns import regex

_MARKS = {".": "full stop|period", "!": "exclamation (?:mark|point)", "?": "question mark"}
_ENDS = r"\b(?:end|finish|close|conclude)\w*\b[^.!?\n]{0,30}\b"
_NEGATED = regex(r"\b(?:not|no|without|never)\b|n't\b", re.IGNORECASE)
ENDS_WITH_FULL_STOP = rf"{_ENDS}(?:{_MARKS['.']})\b"
"""What a sentence says that asks for a full stop at the end."""
_WRITES = regex(
    r"\b(?:write|compose|create|make up|invent|form|build)\b[^.?!\n]{0,60}"
    r"\b(?:sentences?|stor(?:y|ies)|paragraphs?|poems?|verses?|texts?|slogans?|captions?)\b",
    re.IGNORECASE,
)
_WORDS = regex(r"\bwords?\b", re.IGNORECASE)


def asked_end(prompt: str) -> str:
    """The mark that a prompt asks for at the end of an answer, or an empty string."""
    asking = [sentence for sentence in sentences_of(prompt) if not _NEGATED.search(sentence)]
    return next(
        (mark for mark, names in _MARKS.items() for one in asking if re.search(rf"{_ENDS}(?:{names})\b", one, re.I)), ""
    )


def words_for_a_text(prompt: str) -> str:
    """The words that a sentence or a longer text has to use, one after another, with the mark that is asked for."""
    words = max(lists_in(prompt), key=len, default=[])
    return (
        f"{', '.join(words)}{asked_end(prompt)}" if words and _WRITES.search(prompt) and _WORDS.search(prompt) else ""
    )
