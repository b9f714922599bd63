"""One call for each item of a column: of a mapping such as `{"lamp": 30, "heating": 21}`, or of a list."""

import json
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any

from grpo_env_sdk.checking.evidence.prompts.likely_values import LITERALLY, Label, likely_arguments, likely_values
from grpo_env_sdk.types import Row

FEWEST, MOST = 2, 8
"""How many items a column has for which calls are made."""
Labels = dict[str, Label]


def calls_of_items(tool: Mapping[str, Any], row: Row) -> Iterator[list[Labels]]:
    """For each column with items, the labels of calls with one item each, and likely values beside it."""
    others = next(likely_arguments(tool, row, 1), None)
    if not others:
        return
    known = {name: likely_values(tool, name, row) for name in others}
    for column, items in row.items():
        if column == "prompt" or not isinstance(items, Mapping | list) or not FEWEST <= len(items) <= MOST:
            continue
        for calls in (
            _of_mapping(column, items, known) if isinstance(items, Mapping) else _of_list(column, items, known)
        ):
            if all(label in known[name] or label.startswith(LITERALLY) for one in calls for name, label in one.items()):
                yield [{**others, **one} for one in calls]


def _of_mapping(column: str, items: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[list[Labels]]:
    """Each key for one parameter, and its value for another."""
    for key_for, value_for in permutations(known, 2):
        if all(isinstance(one, str) for one in known[key_for].values()):
            yield [{key_for: LITERALLY + json.dumps(key), value_for: f"{column}[{key!r}]"} for key in items]


def _of_list(column: str, items: list[Any], known: Mapping[str, Any]) -> Iterator[list[Labels]]:
    """Each item for one parameter; where they are mappings, what they hold for the parameters of the same names."""
    if all(isinstance(item, Mapping) for item in items):
        names = [name for name in known if all(name in item for item in items)]
        if names:
            yield [{name: f"{column}[{place}][{name!r}]" for name in names} for place in range(len(items))]
        return
    for name in known:
        yield [{name: f"{column}[{place}]"} for place in range(len(items))]
