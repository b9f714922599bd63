"""What a call may need, taken from its row: values of the columns that are called like parameters, and near ones."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any

from grpo_env_sdk.checking.evidence.playing.tool_parameters import properties_of, required_of
from grpo_env_sdk.types import Row

MOST_VALUES, MOST_CHARS, MOST_DEEP, _MOST_TOGETHER = 16, 200, 3, 4_000
MOST_DIGITS = 9
FIRST_NUMBERS = range(13)
LITERALLY = "= "
"""How the label of a value begins that is the same on every row, as JSON."""
THE_VALUE = "the value "
"""How that of a value begins that is tried on each row, listed or a small number."""
Label = str
"""Where a value comes from, which says the same of other rows."""
Values = dict[Label, Any]


def likely_arguments(tool: Mapping[str, Any], row: Row, most: int) -> Iterator[dict[str, Label]]:
    """For each required parameter, and others that are called like a column, a label; the likely ones first."""
    wanted = {name: list(likely_values(tool, name, row)) for name in parameters_of(tool, row)}
    if not all(wanted.values()):
        return
    ranks = islice(product(*(range(len(labels)) for labels in wanted.values())), _MOST_TOGETHER)
    for places in sorted(ranks, key=lambda one: (sum(one), max(one, default=0)))[:most]:
        yield {name: wanted[name][place] for name, place in zip(wanted, places, strict=True)}


def parameters_of(tool: Mapping[str, Any], row: Row) -> list[str]:
    """The parameters that a call gives."""
    needed = required_of(tool)
    return [name for name in properties_of(tool) if name in needed or name in row]


def likely_values(tool: Mapping[str, Any], name: str, row: Row) -> Values:
    """The values that a parameter may get, by label, those of the column that is called like it first."""
    schema = properties_of(tool).get(name, {})
    known = sorted(_leaves(row), key=lambda item: _distance(name, item[0]))
    if isinstance(schema.get("enum"), list):
        listed = {f"{THE_VALUE}{value!r}": value for value in schema["enum"]}
        return {label: value for label, value in known if value in schema["enum"]} | listed
    kind = schema.get("type")
    if kind == "boolean":
        return {f"{THE_VALUE}{value}": value for value in (True, False)}
    found: Values = {}
    if kind == "string" and any(isinstance(value, str) for _, value in known):
        known = [item for item in known if isinstance(item[1], str) or _distance(name, item[0]) <= 1]
    for label, value in known:
        if kind in ("integer", "number") and type(value) in (int, float) and (kind == "number" or type(value) is int):
            found |= {label: value}
        elif kind == "integer" and isinstance(value, str) and value.isdecimal() and len(value) <= MOST_DIGITS:
            found |= {label: int(value)}
        elif kind == "string" and isinstance(value, str | int | float) and 0 < len(str(value)) <= MOST_CHARS:
            found |= {label: str(value)}
        elif kind == "array" and isinstance(value, list):
            found |= {label: value}
    if kind == "integer":
        beside = {f"{label} {by:+d}": value + by for label, value in islice(found.items(), 3) for by in (-1, 1)}
        found = beside_first(found, beside)
        found |= {f"{THE_VALUE}{number}": number for number in FIRST_NUMBERS if number not in found.values()}
        return found
    return dict(islice(found.items(), MOST_VALUES))


def beside_first(found: Values, beside: Values) -> Values:
    """The value of the nearest column, then those beside it, then the others."""
    first = dict(islice(found.items(), 1))
    return first | beside | found


def _leaves(value: Any, label: str = "", deep: int = 0) -> Iterator[tuple[Label, Any]]:
    """The values of a row by where they stand: columns, then what they hold."""
    if deep > MOST_DEEP:
        return
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    inner = []
    for key, one in islice(items, 24):
        name = f"{label}[{key!r}]" if label else str(key)
        if name in ("prompt", "case_idx", "best_possible"):
            continue
        if isinstance(one, Mapping | list):
            inner.append((name, one))
        if one is not None and not isinstance(one, bool | Mapping):
            yield name, one
    for name, one in inner:
        yield from _leaves(one, name, deep + 1)


def _distance(parameter: str, label: Label) -> int:
    """How unlike a column is to a parameter: 0 for the same name, 1 for a common word, more for what is inside."""
    column = re.findall(r"[^\W_]+", label.casefold())
    if label.casefold() == parameter.casefold():
        return 0
    own = re.findall(r"[^\W_]+", parameter.casefold())
    shared = any(one.rstrip("s") == two.rstrip("s") for one in own for two in column if not one.isdigit())
    return (1 if shared else 4) + 2 * label.count("[")


def is_close(name: str, label: Label) -> bool:
    """Whether a value is from a column with the name of the parameter, or a word of it."""
    return _distance(name, label) <= 1


def values_at(tool: Mapping[str, Any], row: Row, labels: Mapping[str, Label]) -> dict[str, Any] | None:
    """The values that the labels name in a row; None where it has no such."""
    found = {
        name: json.loads(label.removeprefix(LITERALLY))
        if label.startswith(LITERALLY)
        else likely_values(tool, name, row).get(label)
        for name, label in labels.items()
    }
    return None if None in found.values() else found
