"""Gold with an address, a date, a time, a number or a name of the prompt in place of its own."""

import re
from collections.abc import Iterator

from grpo_env_sdk.late_patterns import regex

_PLACES = ("first", "second", "third")
SHOWN = tuple(f"with the {place} value of that form in its prompt" for place in _PLACES)
SHOWN_PLAIN = tuple(f"replaced by the {place} such number or name of its prompt" for place in _PLACES)
"""The second ones are more often right for another reason."""
_VALUE = regex(r"(?<![\w.:/-])\w+(?:[.:/-]\w+)+(?![\w/]|[.:-]\w)")
_PART = regex(r"(?<![\w.:-])\w+(?:[.:-]\w+)+(?![\w]|[.:-]\w)")
"""A value with marks inside of it, with and without a slash: 10.0.0.0/8 holds 10.0.0.0."""
_PLAIN = regex(r"\d+(?:[./]\d+)?|\D+")
"""Numbers, fractions, and words with a hyphen."""
_NUMBER = regex(r"(?<![\w.,/:-])\d+(?:\.\d+)?(?![\w/:-]|[.,]\d)")
_NAME = regex(r"(?<=[^.!?:\n] )[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
_ROOM = regex(
    r"\b(?:any(?! expla| other| text| words| units?\b)|one of|either|a possible|an example|about|around|approx\w*|"
    r"roughly|nearest|closest|within|toleran\w*|estimat\w*|(?:name|find|give|choose|pick|suggest|propose) an?)\b|"
    r"[\u00b1\u2248]",
    re.IGNORECASE,
)
"""What a prompt says where more than one value may be right."""


def with_shown(text: str, prompt: str) -> Iterator[tuple[str, str]]:
    """A text with its value exchanged for those of the same form that its prompt shows, by their place."""
    if _ROOM.search(prompt):
        return
    for pattern in (_VALUE, _PART):
        shown = list(dict.fromkeys(pattern.findall(prompt)))
        for found in pattern.finditer(text):
            form = _form(found.group())
            others = [value for value in shown if _form(value) == form and value not in text]
            alone = 2 * len(found.group()) >= len(text) and not _PLAIN.fullmatch(found.group())
            if others and alone:
                for name, other in zip(SHOWN, others, strict=False):
                    yield name, text[: found.start()] + other + text[found.end() :]
                return
    yield from zip(SHOWN_PLAIN, _plain_ones(text, prompt), strict=False)


def _plain_ones(text: str, prompt: str) -> list[str]:
    """The numbers between the first and the last of a prompt, which others try, or its names."""
    if _NUMBER.fullmatch(text):
        numbers = list(dict.fromkeys(_NUMBER.findall(prompt)))[1:-1]
        return [one for one in numbers if float(one) != float(text)]
    if not _NAME.fullmatch(f"a {text}", 2):
        return []
    return [one for one in dict.fromkeys(_NAME.findall(prompt)) if one not in text and text not in one]


def _form(value: str) -> str:
    """The form of a value: its marks, with 9 for each number, and a letter for each word."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", value))
