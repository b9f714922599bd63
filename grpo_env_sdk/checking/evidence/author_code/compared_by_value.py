"""What watched code does where texts of numbers, versions, dates and times are compared by what they are."""

from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.compared_values import KINDS, Telling
from grpo_env_sdk.checking.evidence.prompts.ordered_values import KINDS as KINDS_OF_VALUES
from grpo_env_sdk.checking.evidence.prompts.ordered_values import key_of
from grpo_env_sdk.late_patterns import regex

MOST_TURNED = 2_000
ORDERS = ("Lt", "LtE", "Gt", "GtE")
"""The comparisons that put two values in an order."""
_WORDS = {"months", "named days"}
"""Kinds whose values are names, which may be in the order of letters."""
_OF_VALUES = regex(r"[\d.,:-]+")


@dataclass(frozen=True, slots=True)
class Turned:
    """Two texts that are in another order by their letters than by their values, and which function compared them."""

    smaller: str
    larger: str
    kind: str
    where: str


class ComparesByValue(Telling):
    """Compares texts that are values of one kind by their values, and notes which ones that turns round."""

    def __init__(self) -> None:
        super().__init__()
        self.turned: dict[Turned, None] = {}

    def compared(self, site: str, kind: str, left: Any, right: Any) -> Any:
        """`left < right`."""
        result = super().compared(site, kind, left, right)
        if kind not in ORDERS or not isinstance(left, str) or not isinstance(right, str):
            return result
        keys = _keys(left, right)
        if keys is None or KINDS[kind](*keys[1:]) == result:
            return result
        if len(self.turned) < MOST_TURNED:
            smaller, larger = (left, right) if keys[1] < keys[2] else (right, left)
            self.turned[Turned(smaller, larger, keys[0], site.partition(":")[0])] = None
        return not result


def _keys(left: str, right: str) -> tuple[str, Any, Any] | None:
    """The kind of two texts and what they are ordered by; None where they are of no kind, or the same value."""
    if _OF_VALUES.sub("", left) != _OF_VALUES.sub("", right):
        return None
    for kind in KINDS_OF_VALUES:
        one, other = key_of(left, kind), key_of(right, kind)
        if one is not None and other is not None:
            return None if one == other or kind in _WORDS else (kind, one, other)
    return None
