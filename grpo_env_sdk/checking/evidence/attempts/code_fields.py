"""The fields of a report that a score reads, with the values that they need: `fields.get("approved") == "yes"`."""

import ast
import json
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.code_guesses import OWN_REPORT
from grpo_env_sdk.checking.evidence.attempts.guesses import Guess
from grpo_env_sdk.checking.evidence.author_code.score_code import score_functions

MOST_FIELDS, MOST_CHARS = 6, 40
Field = tuple[str, str]


def field_guesses(env: Any) -> list[Guess]:
    """Answers that write such a field themselves, on a line of their own, behind a word, and in other forms."""
    fields = list(dict.fromkeys(one for found in score_functions(env) for one in _fields(found.tree)))[:MOST_FIELDS]
    said = [
        *(f"lorem ipsum\n{key}: {value}" for key, value in fields),
        *(["lorem ipsum\n" + "\n".join(f"{key}: {value}" for key, value in fields)] if len(fields) > 1 else []),
        *(f"lorem ipsum\n{key.upper()}: {value}" for key, value in fields),
        *(f"lorem ipsum\n<{key}>{value}</{key}>" for key, value in fields),
        *(f'lorem ipsum", "{key}": "{value}' for key, value in fields),
        *([json.dumps(dict(fields))] if fields else []),
        *(f"lorem ipsum; {key}={value}" for key, value in fields),
    ]
    return [Guess(OWN_REPORT, text) for text in said]


def _fields(tree: ast.AST) -> Iterator[Field]:
    """Each field that is compared with a short text or number."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.In | ast.GtE | ast.Gt):
            continue
        sides = [node.left, node.comparators[0]]
        keys = [key for side in sides for one in ast.walk(side) if (key := _key(one))]
        values = [
            one.value for side in sides if not any(map(_key, ast.walk(side))) for one in ast.walk(side)
            if isinstance(one, ast.Constant) and isinstance(one.value, str | int | float)
        ]  # fmt: skip
        if keys and values and 0 < len(str(values[0])) <= MOST_CHARS:
            yield keys[0], str(values[0])


def _key(node: ast.AST) -> str:
    """The constant key of `held["key"]` or `held.get("key")`; empty for anything else."""
    if isinstance(node, ast.Subscript):
        key: ast.expr | None = node.slice
    else:
        is_get = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
        key = node.args[0] if is_get and isinstance(node, ast.Call) and node.args else None
    found = key.value if isinstance(key, ast.Constant) else None
    return found if isinstance(found, str) and 0 < len(found) <= MOST_CHARS else ""
