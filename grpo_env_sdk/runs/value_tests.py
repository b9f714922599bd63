"""What a value in the JSON of a run may be: tests, and the words for what passes them."""

from collections.abc import Callable, Mapping
from typing import Any

_MOST_COUNT = 2**53
_MOST_NUMBER = 1e100

Test = Callable[[Any], bool]


def words_of(test: Test) -> str:
    """What passes a test, in words; nothing where nobody has said it."""
    return _WORDS.get(test, "")


def text(value: Any) -> bool:
    """Whether it is text."""
    return isinstance(value, str)


def label(value: Any) -> bool:
    """Whether it is text that a terminal shows as it is."""
    return isinstance(value, str) and value.isprintable()


def count(value: Any) -> bool:
    """Whether it is a whole number of a sensible size, not below 0."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_COUNT


def whole(value: Any) -> bool:
    """Whether it is a whole number of 64 bits."""
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**64


def number(value: Any) -> bool:
    """Whether it is a finite number that can be squared and added up."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST_NUMBER


def figure(value: Any) -> bool:
    """Whether it is a number; in the metrics of an environment it may be NaN or infinity."""
    return isinstance(value, float) or number(value)


def flag(value: Any) -> bool:
    """Whether it is true or false."""
    return isinstance(value, bool)


def mapping(value: Any) -> bool:
    """Whether it is an object."""
    return isinstance(value, dict)


def optional(test: Test) -> Test:
    """A test that null passes too."""
    return called(f"{words_of(test)} or null", lambda value: value is None or test(value))


def list_of(test: Test) -> Test:
    """A test for a list."""
    return called(
        f"a list, each item {words_of(test)}", lambda value: isinstance(value, list) and all(map(test, value))
    )


def map_of(test: Test) -> Test:
    """A test for an object with printable keys, and values of one type."""
    return called(
        f"an object of printable names, each value {words_of(test)}",
        lambda value: isinstance(value, dict) and all(map(label, value)) and all(map(test, value.values())),
    )


def shape(needed: Mapping[str, Test], more: Mapping[str, Test] | None = None) -> Test:
    """A test for an object with these keys, and perhaps with more."""
    known = {**(more or {}), **needed}
    return called(
        f"an object with {', '.join(needed)}" if needed else "an object",
        lambda value: (
            isinstance(value, dict)
            and needed.keys() <= value.keys()
            and all(test(value[key]) for key, test in known.items() if key in value)
        ),
    )


def called(words: str, test: Test) -> Test:
    """The test, with the words for what passes it."""
    _WORDS[test] = words
    return test


_WORDS: dict[Test, str] = {
    text: "a text", label: "a text of printable characters", count: "a whole number from 0 to 2^53",
    whole: "a whole number of 64 bits", number: f"a number between {-_MOST_NUMBER:g} and {_MOST_NUMBER:g}",
    figure: "a number", flag: "true or false", mapping: "an object",
}  # fmt: skip
