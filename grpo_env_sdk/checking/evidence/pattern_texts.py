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


def text_matching(pattern: str) -> str | None:
    """A short text in which the pattern is found; None for what is no pattern, and for those with references."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a pattern's author, who may not have meant a pattern
            text = "".join(_parts(parser.parse(pattern)))
            return text if re.search(pattern, text) else None
    except (re.error, RecursionError, OverflowError, KeyError):
        return None


def _parts(tree: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    for code, value in tree:
        if code is codes.LITERAL:
            yield chr(value)
        elif code is codes.NOT_LITERAL:
            yield next(char for char in _CANDIDATES if ord(char) != value)
        elif code is codes.ANY:
            yield "x"
        elif code is codes.IN:
            yield _one_of(value)
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            least, most, repeated = value
            yield "".join(_parts(repeated)) * min(max(least, min(1, int(most))), _MOST_REPEATED)
        elif code is codes.BRANCH:
            yield from _parts(value[1][0])
        elif code is codes.SUBPATTERN:
            yield from _parts(value[-1])
        elif code is codes.ATOMIC_GROUP:
            yield from _parts(value)


def _one_of(members: list[tuple[Any, Any]]) -> str:
    """A character of a set such as `[a-z\\d]` or `[^,]`; none where no candidate is in it."""
    if members[0][0] is codes.NEGATE:
        fitting = (char for char in _CANDIDATES if not any(_holds(member, char) for member in members[1:]))
        return next(fitting, "")
    code, value = members[0]
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.RANGE:
        return chr(value[0])
    return next(char for char in _CANDIDATES if _holds(members[0], char))


def _holds(member: tuple[Any, Any], char: str) -> bool:
    code, value = member
    if code is codes.LITERAL:
        return bool(ord(char) == value)
    if code is codes.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    return re.fullmatch(_CATEGORIES.get(value, "."), char) is not None
