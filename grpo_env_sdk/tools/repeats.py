"""Whether a regular expression may take exponential time: one that repeats what repeats, such as `(a+)+`."""

from collections.abc import Iterator
from re import _constants, _parser  # type: ignore[attr-defined]  # Python's own parser, which has no public name
from typing import Any

_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)


def repeats_within_repeats(pattern: str) -> bool:
    """Whether an unbounded repeat is inside another one; `pattern` compiles."""
    return _has_repeat(_parser.parse(pattern), within=False)


def _has_repeat(node: Any, within: bool) -> bool:
    for kind, value in node:
        unbounded = kind in _REPEATS and value[1] is _constants.MAXREPEAT
        if unbounded and within:
            return True
        if any(_has_repeat(inner, within or unbounded) for inner in _inside(value)):
            return True
    return False


def _inside(value: Any) -> Iterator[Any]:
    """The parts of a pattern within an element of another."""
    if isinstance(value, _parser.SubPattern):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _inside(item)
