"""The object or the labelled lines that a prompt wants filled in, with the same number in every place."""

import json
import re
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Row

MOST_CHARS, FEWEST_NUMBERS, MOST_ITEMS = 6_000, 2, 40
_PLACE = (
    r"(?:\.\.\.|…|<[^<>\n]{1,60}>|\[?[A-Z][A-Z_]{0,20}\]?|"
    r"(?:a |an |the )?(?:number|integer|int|float|decimal|amount|value|n|x))"
)
_VALUE = regex(rf"(?<=:)\s*{_PLACE}(?=\s*[,}}\]])")
_GO_ON = regex(r",\s*(?:\.\.\.|…)\s*(?=[\]}])")
_TEXT = regex(rf"{_PLACE}|string|text|str|name", re.IGNORECASE)
_NUMBER = regex(r"(?<![\w.,-])-?\d+(?:[.,]\d+)*(?![\w-])")
_LINES = regex(rf"(?m)(?:^[ \t]*[^\W\d_][\w ]{{0,30}}[:=] ?{_PLACE}[ \t]*$\n?){{{FEWEST_NUMBERS},}}")


def filled_with(number: float, prompt: str, row: Row) -> Iterator[str]:
    """The form of the answer that a prompt shows, with a number wherever it wants one, and the items of the row."""
    shown = _object(prompt[-MOST_CHARS:])
    if shown is not None:
        value = _filled(shown, number, row)
        if _numbers(value) >= FEWEST_NUMBERS:
            yield json.dumps(value, ensure_ascii=False)
    if lines := _LINES.search(prompt[-MOST_CHARS:]):
        yield re.sub(rf"(?<=[:=]) ?{_PLACE}[ \t]*$", f" {number}", lines.group().strip(), flags=re.MULTILINE)


def with_all_numbers(text: str, number: float) -> str | None:
    """An object in JSON, or a text, with the same number in place of each of its numbers; None where it has too few."""
    value = read_json(text)
    if not isinstance(value, dict | list):
        changed, count = _NUMBER.subn(str(number), text)
        return changed if count >= FEWEST_NUMBERS else None
    return json.dumps(everywhere(value, number), ensure_ascii=False) if _numbers(value) >= FEWEST_NUMBERS else None


def _object(prompt: str) -> Any:
    """The last object in braces whose values are places to fill in; None where there is none."""
    for start in reversed([found.start() for found in re.finditer(r"\{\s*\"", prompt)]):
        depth = 0
        for place in range(start, len(prompt)):
            depth += {"{": 1, "}": -1}.get(prompt[place], 0)
            if depth == 0:
                text = prompt[start : place + 1]
                if prompt[:start].count("{") == prompt[:start].count("}") and (shown := _parsed(text)) is not None:
                    return shown
                break
    return None


def _parsed(text: str) -> Any:
    return read_json(_VALUE.sub(" null", _GO_ON.sub("", text)))


def _filled(shown: Any, number: float, row: Row, item: str = "", key: str = "") -> Any:
    """A value with a number for what is left open, and each object of a list once for each item of the row."""
    if isinstance(shown, dict):
        own = next((name for name in shown if any(name in column for column in _lists(row))), next(iter(shown), ""))
        return {name: _filled(value, number, row, item if name == own else "", name) for name, value in shown.items()}
    if isinstance(shown, list):
        items = next(iter(_lists(row).values()), [""])
        if any(isinstance(one, dict) for one in shown):
            return [_filled(shown[0], number, row, one) for one in items[:MOST_ITEMS]]
        return [_filled(one, number, row) for one in shown]
    if isinstance(shown, bool):
        return shown
    if isinstance(shown, str) and not re.fullmatch(r"-?\d+(?:\.\d+)?", shown):
        held = row.get(key)
        return item or (held if isinstance(held, str) and _TEXT.fullmatch(shown) else shown)
    return item or number


def _lists(row: Row) -> dict[str, list[str]]:
    """The lists of texts in the columns of a row."""
    return {
        name: value for name, value in row.items()
        if name != "prompt" and isinstance(value, list) and value and all(isinstance(one, str) for one in value)
    }  # fmt: skip


def _numbers(value: Any) -> int:
    if isinstance(value, dict | list):
        return sum(map(_numbers, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def everywhere(data: Any, value: Any, numbers: bool = True) -> Any:
    """Data with a value in place of each of its numbers, or of all that is no object or list."""
    if isinstance(data, dict):
        return {key: everywhere(one, value, numbers) for key, one in data.items()}
    if isinstance(data, list):
        return [everywhere(one, value, numbers) for one in data]
    is_number = isinstance(data, int | float) and not isinstance(data, bool)
    return value if is_number or not numbers else data
