"""A text that a regular expression matches."""

import re
import warnings
from collections.abc import Iterable, Iterator
from re import _constants as codes  # type: ignore[attr-defined]  # the only parser of patterns that the library has
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_CANDIDATES = "x1 -X\n"
"""One character at least of each category, and not of it."""
_MOST_REPEATED = 1_000
_CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d", codes.CATEGORY_NOT_DIGIT: r"\D", codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S", codes.CATEGORY_WORD: r"\w", codes.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


def text_matching(pattern: str, nth: int = 0) -> str | None:
    """A short text in which the pattern is found, with the nth of its alternatives.

    None for what is no pattern, and for those with references.
    """
    text = _text(pattern, "", nth)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return text if text is not None and re.search(pattern, text) else None


def text_with(pattern: str, slot: str) -> str | None:
    """A short text that fits a pattern but for its first group, where a slot is; None where it has no group."""
    text = _text(pattern, slot, 0)
    return text if text is not None and slot in text else None


def _text(pattern: str, slot: str, nth: int) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a pattern's author, who may not have meant a pattern
            return "".join(_parts(parser.parse(pattern), slot, nth))
    except (re.error, RecursionError, OverflowError, KeyError):
        return None


def _parts(tree: Iterable[tuple[Any, Any]], slot: str, nth: int) -> Iterator[str]:
    """A text for each part of a pattern; a slot in place of its first group, and nothing for what may be left out."""
    for code, value in tree:
        if code is codes.LITERAL:
            yield chr(value)
        elif code is codes.NOT_LITERAL:
            yield next(char for char in _CANDIDATES if ord(char) != value)
        elif code is codes.ANY:
            yield "x"
        elif code is codes.IN:
            yield _one_of(value, nth)
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            least, most, repeated = value
            once = "".join(_parts(repeated, slot, nth))
            needed = not slot or slot in once or once.isspace()
            yield once * min(max(least, min(1, int(most)) if needed else 0), _MOST_REPEATED)
        elif code is codes.BRANCH:
            yield from _parts(value[1][nth % len(value[1])], slot, nth)
        elif code is codes.SUBPATTERN:
            yield slot if slot and value[0] == 1 else "".join(_parts(value[-1], slot, nth))
        elif code is codes.ATOMIC_GROUP:
            yield from _parts(value, slot, nth)


def _one_of(members: list[tuple[Any, Any]], nth: int) -> str:
    """A character of a set such as `[a-z\\d]` or `[^,]`; none where no candidate is in it."""
    if members[0][0] is codes.NEGATE:
        fitting = (char for char in _CANDIDATES if not any(_holds(member, char) for member in members[1:]))
        return next(fitting, "")
    member = members[nth % len(members)]
    code, value = member
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.RANGE:
        return chr(value[0])
    return next(char for char in _CANDIDATES if _holds(member, char))


def _holds(member: tuple[Any, Any], char: str) -> bool:
    code, value = member
    if code is codes.LITERAL:
        return bool(ord(char) == value)
    if code is codes.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    return re.fullmatch(_CATEGORIES.get(value, "."), char) is not None
