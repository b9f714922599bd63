"""Totals that can be worked out from the fields of records and the numbers of prompts, compared as texts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import Any, Literal

FEWEST_ROWS, MOST_FIELDS, MOST_NUMBERS = 24, 4, 4
Total = tuple[Any, Any, int, Any, int, bool]
"""A field, another one and the place of the number that it is taken times, 0 for once; the field that has to be at
most, or at least, the number at a place, and which of the two; and nothing there for all records."""
Ends = tuple[str, str]
"""What is first or last by the letters of a total, and by its value."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """A row: the records that it shows, the numbers of its prompt, and what gold took of one of them."""

    records: Sequence[Mapping[Any, str]]
    numbers: Sequence[float]
    value: str

    @cached_property
    def own(self) -> Any:
        """The field that gold's value is in; None where it is in none, or not all records have it."""
        key = next((key for one in self.records for key, value in one.items() if value == self.value), None)
        return key if all(key in one for one in self.records) else None

    @cached_property
    def fields(self) -> Mapping[Any, Sequence[float]]:
        """The fields that are numbers in all records."""
        found = {key: [_number(one.get(key, "")) for one in self.records] for key in self.records[0] if key != self.own}
        return {key: values for key, values in list(found.items())[:MOST_FIELDS] if None not in values}  # type: ignore[misc]

    def totals(self) -> Iterator[Total]:
        """Every total of one or two fields, of all records or of those on one side of a number."""
        places = range(1, min(len(self.numbers), MOST_NUMBERS) + 1)
        sums = chain(product(self.fields, [None], [0]), product(self.fields, self.fields, [0, *places]))
        limits = [(None, 0, False), *product(self.fields, places, [False, True])]
        for (one, other, times), limit in product(sums, limits):
            if one != other:
                yield (one, other, times, *limit)

    def end_of(self, total: Total, pick: Callable[..., Any]) -> Ends | None:
        """What is picked by the letters of a total, and by its value; None where a field or a number is missing."""
        one, other, times, limited, place, at_least = total
        if not {one, other or one, limited or one} <= self.fields.keys() or max(times, place) > len(self.numbers):
            return None
        factor = self.numbers[times - 1] if times else 1.0
        limit = self.numbers[place - 1] if place else 0.0
        left = [
            (self.fields[one][n] + (factor * self.fields[other][n] if other is not None else 0.0), record[self.own])
            for n, record in enumerate(self.records)
            if limited is None or (self.fields[limited][n] >= limit if at_least else self.fields[limited][n] <= limit)
        ]
        if not left:
            return None
        return pick(left, key=lambda each: f"{each[0]:g}")[1], pick(left)[1]


def ends_as_text(rows: Sequence[Chosen]) -> tuple[str, list[tuple[Chosen, str]]] | None:
    """The total by whose letters gold's choice is first or last on all rows, and by row what is so by its value.

    None where few rows are known, or where a total is right on all rows by its value.
    """
    known = [row for row in rows if row.own is not None and len(row.fields) > 1]
    alive = list(known[0].totals()) if len(known) >= FEWEST_ROWS else []
    picks: tuple[tuple[str, Callable[..., Any]], ...] = (("first", min), ("last", max))
    if any(_agreeing(known, alive, pick, 1) for _, pick in picks):
        return None
    for end, pick in picks:
        for total in _agreeing(known, alive, pick, 0):
            ends = [(row, found[1]) for row in known if (found := row.end_of(total, pick))]
            return f"{_named(total)} (the {end})", ends
    return None


def _agreeing(
    rows: Sequence[Chosen], totals: Sequence[Total], pick: Callable[..., Any], by: Literal[0, 1]
) -> list[Total]:
    """The totals by whose letters (0), or by whose value (1), gold's choice is picked on all rows."""
    left = list(totals)
    for row in rows:
        left = [total for total in left if (ends := row.end_of(total, pick)) and ends[by] == row.value]
    return left


def _named(total: Total) -> str:
    one, other, times, limited, place, at_least = total
    factor = f"number {times} of the prompt times " if times else ""
    limit = f", where {limited!r} is at {'least' if at_least else 'most'} its number {place}" if place else ""
    return f"the sum of {one!r} and {factor}{other!r}{limit}" if other is not None else f"the field {one!r}{limit}"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
