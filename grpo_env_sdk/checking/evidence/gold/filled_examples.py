"""The examples of a call or an object that a prompt shows, with the values of a row in place of their own."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.late_patterns import regex

MOST_EXAMPLES, FEWEST_VALUES, MOST_CHARS = 3, 2, 80
"""How many examples are filled in, how many values they need, and how long these are."""
_CALL = r"(?:(?<=['\"`])\w+:? )?(?<![\w.])[A-Za-z_][\w.]*\([^()\n]{1,200}\)"
_EXAMPLE = regex(
    rf"(?:<(\w+)>\s*)?(?:{_CALL}|\{{[^{{}}]{{1,300}}\}})(?(1)\s*</\1>)|(?:<(\w+)>[^<>\n]{{1,60}}</\2>\s*){{2,}}"
)
"""A call, an object, both perhaps in tags, or several tags."""
_VALUE = regex(
    r"""(?P<before>["']?(?P<key>[A-Za-z_]\w*)["']?\s*[=:]\s*)(?P<value>"[^"]*"|'[^']*'|[^,;()\[\]{}"'\n]+?)"""
    r"""(?=\s*[,;)}\n])|(?P<open><(?P<tag>\w+)>)(?P<text>[^<>(){}]+)(?=</(?P=tag)>)|"""
    r"""(?<=[(,])\s*(?P<bare>"[^"]*"|'[^']*'|[^,()={}:"']+?)(?=[,)])"""
)
"""A value with its key, between tags of its own, or in the place of a parameter."""


def filled_examples(prompt: str, row: Mapping[str, Any]) -> Iterator[str]:
    """Each example of the prompt whose keys are columns of the row, or take what is left of them, with its values."""
    known = dict(_values(row))
    for found in _EXAMPLE.finditer(prompt):
        example = found.group().strip()
        keys = [one["key"] or one["tag"] or one["bare"] for one in _VALUE.finditer(example)]
        others = [key for key in keys if key not in known]
        left = [name for name in known if name not in keys]
        if FEWEST_VALUES <= len(set(keys)) == len(keys) and len(others) <= len(left):
            names = dict(zip(others, left, strict=False))
            held = {key: known[names.get(key, key)] for key in keys}
            yield _VALUE.sub(lambda one, held=held: _written(one, held), example)  # type: ignore[misc]


def _values(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The short values of a row: its columns, and what columns that are objects hold."""
    for name, value in row.items():
        if name in ("prompt", "case_idx"):
            continue
        held = value
        if isinstance(value, str) and value.startswith("{"):
            held = read_json(value, value)
        if isinstance(held, dict):
            yield from _values(held)
        elif isinstance(held, str | int | float) and len(str(held)) <= MOST_CHARS:
            yield name, held


def _written(found: re.Match[str], held: Mapping[str, Any]) -> str:
    """A value as the example writes its own: with quotes or without."""
    if found["tag"]:
        return f"{found['open']}{held[found['tag']]}"
    value, shown = held[found["bare"] or found["key"]], found["value"] or found["bare"]
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    text = text.lower() if isinstance(value, bool) and shown in ("true", "false") else text
    quote = shown[0] if shown[0] in "\"'" and isinstance(value, str) else ""
    before = found["before"] or found.group().removesuffix(shown)
    return f"{before}{quote}{text}{quote}"
