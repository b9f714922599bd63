"""Async scorers that keep something of their row in the instance, where the scorer of another row overwrites it."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, parameters_of


@dataclass(frozen=True, slots=True)
class MixedUp:
    """What a scorer sets before it awaits, and which function reads it afterwards."""

    name: str
    sets: str
    reads: str
    line: str


def mixed_up(functions: Sequence[ScoreFunction]) -> MixedUp | None:
    """The first attribute that is set from the row and read once something was awaited: others are scored meanwhile."""
    for function in functions:
        tree = next((node for node in function.nodes if isinstance(node, ast.AsyncFunctionDef)), None)
        if tree is None or any(isinstance(node, ast.AsyncWith) for node in ast.walk(tree)):  # which may be a lock
            continue
        awaited = [node.end_lineno or 0 for node in ast.walk(tree) if isinstance(node, ast.Await)]
        for node, name in _set_from_row(tree):
            line = min((line for line in awaited if line > node.lineno), default=None)
            reader = line and _reader(tree, functions, name, line)
            if reader:
                return MixedUp(f"self.{name}", function.name, reader, ast.unparse(node))
    return None


def _set_from_row(tree: ast.AsyncFunctionDef) -> list[tuple[ast.Assign, str]]:
    """The attributes that are set to what follows from the answer or the row, with the line."""
    of_row = parameters_of(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and of_row & {
            one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)
        }:
            of_row |= {target.id for target in node.targets if isinstance(target, ast.Name)}
            found += [(node, target.attr) for target in node.targets if _is_own(target)]
    return found


def _reader(tree: ast.AsyncFunctionDef, functions: Sequence[ScoreFunction], name: str, line: int) -> str:
    """The function that reads an attribute below a line: this one, or one that it calls there."""
    below = [node for node in ast.walk(tree) if getattr(node, "lineno", 0) > line]
    called = {node.func.attr for node in below if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    if any(_reads(node, name) for node in below):
        return tree.name
    others = (one for one in functions if one.name in called)
    return next((one.name for one in others if any(_reads(node, name) for node in one.nodes)), "")


def _reads(node: ast.AST, name: str) -> bool:
    return _is_own(node) and node.attr == name and isinstance(node.ctx, ast.Load)


def _is_own(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
