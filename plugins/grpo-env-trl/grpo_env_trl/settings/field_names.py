"""TRL's fields as the source of its configs has them: a misspelt flag, or a text for a number, need not wait for it."""

import ast
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import NoneType
from typing import Any

_SOURCES = {
    "trl": (
        "trainer/base_config.py", "trainer/grpo_config.py", "trainer/model_config.py",
        "experimental/async_grpo/async_grpo_config.py",
    ),
    "transformers": ("training_args.py",),
}  # fmt: skip
_PLAIN = {"None": NoneType, "Optional": NoneType, "bool": bool, "int": int, "float": float}
"""The types that are told from their names, in the order in which they are tried on a text."""


def flag_of(name: str) -> str:
    """The flag of a setting on the command line."""
    return f"--{name.replace('_', '-')}"


@cache
def field_names() -> Mapping[str, frozenset[str]]:
    """Every annotated name in those files, and so every field, with the words of its type; none where they moved."""
    found: dict[str, set[str]] = defaultdict(set)
    for package, files in _SOURCES.items():
        spec = find_spec(package)
        folder = Path((spec and spec.origin) or "").parent
        for file in files:
            try:
                tree = ast.parse((folder / file).read_text(encoding="utf-8"))
            except (OSError, SyntaxError):
                return {}
            for node in ast.walk(tree):
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    found[node.target.id] |= _words_of(node.annotation)
    return {name: frozenset(words) for name, words in found.items()}


def plain_kinds(name: str) -> tuple[Any, ...]:
    """The types of a field of numbers or of true and false; none where it may be anything else."""
    words = field_names().get(name, frozenset())
    return tuple(dict.fromkeys(kind for word, kind in _PLAIN.items() if word in words)) if words <= {*_PLAIN} else ()


def _words_of(annotation: ast.expr) -> set[str]:
    parts = [*ast.walk(annotation)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names | {str(part.value) for part in parts if isinstance(part, ast.Constant)}
