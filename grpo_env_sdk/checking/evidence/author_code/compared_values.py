"""What code that is watched tells: the two sides of each comparison, where it is, and how it ended."""

import operator
import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Hashable, Mapping, MappingView, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

MOST_SEEN, MOST_AT_SITE, MOST_ITEMS, MOST_CHARS = 2_000, 40, 80, 4_000
"""How many comparisons are noted, how many of one place, and how much of a value."""
KINDS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt,
    "GtE": operator.ge, "In": lambda left, right: left in right, "NotIn": lambda left, right: left not in right,
    "Sub": operator.sub, "BitAnd": operator.and_,
}  # fmt: skip
"""The operators that compare, by the names of their nodes."""
_ALIKE = {"Eq": True, "NotEq": False, "In": True, "NotIn": False}
"""How those end whose sides are equal, or one in the other."""
A_NUMBER = 7
"""What stands opposite a text that is to be a number."""
_PLAIN = (str, int, float, Decimal, Fraction, date, time, re.Pattern)


@dataclass(frozen=True, slots=True)
class Length:
    """So many items or letters, as something else is to have."""

    most: int


@dataclass(frozen=True, slots=True)
class Compared:
    """Two values that the author's code compared, in which place of it, and whether they were alike."""

    left: Any
    right: Any
    site: str
    alike: bool
    """Whether they were equal, or one was found in the other."""
    held: bool = False
    """Whether what the author wrote was true."""
    how: str = "Eq"
    """The kind of comparison: a name of `KINDS`, where a look into a table is `In`, and other calls are `Call`."""

    @property
    def both_ways(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """The sides, each once as one's own and once as what stands opposite."""
        return (self.left, self.right), (self.right, self.left)


class Telling:
    """What watched code calls: it does what the author wrote, and notes it while somebody listens."""

    def __init__(self) -> None:
        self.seen: list[Compared] | None = None
        self._at_site: Counter[str] = Counter()

    def listen(self) -> list[Compared]:
        """A new list, in which everything is noted from now on."""
        self._at_site.clear()
        self.seen = []
        return self.seen

    def compared(self, site: str, kind: str, left: Any, right: Any) -> Any:
        """`left == right`."""
        result = KINDS[kind](left, right)
        if kind != "BitAnd" or (isinstance(left, Collection) and isinstance(right, Collection)):
            self._note(site, left, right, _ALIKE.get(kind) is result, result, kind)
        return result

    def length(self, site: str, kind: str, value: Any, right: Any) -> Any:
        """`len(value) == right`."""
        result = KINDS[kind](len(value), right)
        if isinstance(right, int):
            self._note(site, value, Length(right), _ALIKE.get(kind) is result, result, kind)
        else:
            self._note(site, len(value), right, _ALIKE.get(kind) is result, result, kind)
        return result

    def chained(self, site: str, kinds: str, left: Any, right: Any, *later: Callable[[], Any]) -> Any:
        """`left < right < later`, which is not evaluated before it is needed."""
        first, *others = kinds.split()
        result = self.compared(f"{site}.0", first, left, right)
        for place, (kind, one) in enumerate(zip(others, later, strict=True), 1):
            if not result:
                return result
            left, right = right, one()
            result = self.compared(f"{site}.{place}", kind, left, right)
        return result

    def looked_up(self, site: str, table: Any, key: Any) -> Any:
        """`table[key]`."""
        if isinstance(table, Mapping):
            self._note(site, key, list(islice(table, MOST_ITEMS)), key in table, key in table, "In")
        return table[key]

    def called(self, site: str, function: Any, /, *given: Any, **named: Any) -> Any:
        """`left.startswith(right)`, `table.get(key)`, `isclose(left, right)`, `int(text)`."""
        table, result = getattr(function, "__self__", None), None
        if isinstance(table, Mapping) and isinstance(given[0], Hashable):
            known = given[0] in table
            self._note(site, given[0], list(islice(table, MOST_ITEMS)), known, known, "In")
            return function(*given, **named)
        try:
            result = function(*given, **named)
        finally:
            self._note_call(site, function, given, result)
        return result

    def _note_call(self, site: str, function: Any, given: Sequence[Any], result: Any) -> None:
        owner, first = getattr(function, "__self__", None), given[0]
        if function is int or function is float:
            if isinstance(first, str) and result is None:
                self._note(site, first.strip(), A_NUMBER, False, False)
        elif isinstance(owner, re.Pattern):
            self._note(site, first, owner, bool(result), bool(result))
        elif isinstance(owner, Collection):
            self._note(site, owner, first, result is True, bool(result))
        elif len(given) > 1 and getattr(function, "__module__", "") == "re":
            with suppress(re.error, TypeError):
                self._note(site, given[1], re.compile(first), bool(result), bool(result))
        elif len(given) > 1:
            self._note(site, first, given[1], result is True, bool(result))

    def _note(self, site: str, left: Any, right: Any, alike: bool, held: Any, how: str = "Call") -> None:
        seen = self.seen
        if seen is None or len(seen) >= MOST_SEEN or self._at_site[site] >= MOST_AT_SITE:
            return
        with suppress(RuntimeError):  # another thread changes what is copied
            kept = _kept(left), _kept(right)
            if not any(one is _OTHER for one in kept):
                self._at_site[site] += 1
                seen.append(
                    Compared(
                        *kept, site, alike, held is True, "Eq" if how == "NotEq" else "In" if how == "NotIn" else how
                    )
                )


_OTHER = object()


def _kept(value: Any) -> Any:
    """A value as it is now: containers are copied, and of long ones only the first items are kept."""
    if value is None or isinstance(value, Length):
        return value
    if isinstance(value, _PLAIN):
        return value[:MOST_CHARS] if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return dict(islice(value.items(), MOST_ITEMS))
    if isinstance(value, tuple):
        return tuple(value[:MOST_ITEMS])
    if isinstance(value, set | frozenset):
        return set(islice(value, MOST_ITEMS))
    if isinstance(value, list | deque | range | MappingView):
        items: Any = value
        return list(islice(items, MOST_ITEMS))
    return _OTHER
