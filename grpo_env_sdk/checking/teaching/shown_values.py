"""Gold with an address, a date, a time or a code of the prompt in place of its own."""

import re
from collections.abc import Iterator

SHOWN = tuple(f"with the {place} value of that form in its prompt" for place in ("first", "second", "third"))
_VALUE = re.compile(r"(?<![\w.:/-])\w+(?:[.:/-]\w+)+(?![\w/]|[.:-]\w)")
_PART = re.compile(r"(?<![\w.:-])\w+(?:[.:-]\w+)+(?![\w]|[.:-]\w)")
"""A value with marks inside of it, with and without a slash: 10.0.0.0/8 holds 10.0.0.0."""
_NUMBER = re.compile(r"\d+(?:[./]\d+)?|\D+")
"""Decimals and fractions, which others try, and words with a hyphen."""
_ROOM = re.compile(
    r"\b(?:any(?! expla| other| text| words| units?\b)|one of|either|a possible|an example|about|around|approx\w*|"
    r"roughly|nearest|closest|within|toleran\w*|estimat\w*)\b|[\u00b1\u2248]",
    re.IGNORECASE,
)
"""What a prompt says where more than one value may be right."""


def with_shown(text: str, prompt: str) -> Iterator[tuple[str, str]]:
    """A text with one of its values exchanged for those of the same form that its prompt shows, by their place."""
    if _ROOM.search(prompt):
        return
    for pattern in (_VALUE, _PART):
        shown = list(dict.fromkeys(pattern.findall(prompt)))
        for found in pattern.finditer(text):
            form = _form(found.group())
            others = [value for value in shown if _form(value) == form and value not in text]
            if others and not _NUMBER.fullmatch(found.group()):
                for name, other in zip(SHOWN, others, strict=False):
                    yield name, text[: found.start()] + other + text[found.end() :]
                return


def _form(value: str) -> str:
    """The form of a value: its marks, with 9 for each number, and a letter for each word."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", value))
