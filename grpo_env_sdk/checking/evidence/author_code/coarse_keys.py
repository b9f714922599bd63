"""Caches of scores whose key lacks the row: what is kept for an answer in one row counts in all others."""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, parameters_of

_OF_ROWS = {"row", "episode", "state"}
"""Parameters beside the columns that say which row an answer is to."""


@dataclass(frozen=True, slots=True)
class CoarseKey:
    """A value that is kept by a key, and the columns that it depends on and the key does not hold."""

    where: str
    kept_in: str
    key: str
    lacks: tuple[str, ...]
    line: str


def coarse_keys(function: ScoreFunction, names: Collection[str], is_shared: bool) -> Iterator[CoarseKey]:
    """What a function of a score keeps by the answer alone, although it depends on columns of the row.

    `is_shared` says whether attributes of `self` outlive an episode.
    """
    definition = next((one for one in ast.walk(function.tree) if isinstance(one, _DEFINITIONS)), None)
    if definition is None:
        return
    parameters = parameters_of(definition)
    columns = parameters & {*names, *_OF_ROWS}
    answers = parameters - columns
    if not columns or not answers:
        return
    sources = _sources(definition)
    for node in ast.walk(definition):
        targets = node.targets if isinstance(node, ast.Assign) else []
        target = next((one for one in targets if isinstance(one, ast.Subscript)), None)
        if not isinstance(node, ast.Assign) or target is None:
            continue
        kept_in = ast.unparse(target.value)
        if not _outlives(function, target.value, is_shared) or not _is_looked_up(definition, target):
            continue
        of_key, of_value = _roots(target.slice, sources), _roots(node.value, sources)
        lacks = sorted((of_value & columns) - of_key)
        if of_key & answers and not of_key & columns and lacks:
            yield CoarseKey(function.name, kept_in, ast.unparse(target.slice), tuple(lacks), ast.unparse(node))


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _outlives(function: ScoreFunction, held: ast.expr, is_shared: bool) -> bool:
    """Whether a dict is an attribute of an instance that scores all episodes, or a global."""
    if isinstance(held, ast.Attribute) and isinstance(held.value, ast.Name) and held.value.id in ("self", "cls"):
        return is_shared or held.value.id == "cls"
    return isinstance(function.named(held), dict)


def _is_looked_up(definition: ast.AST, target: ast.Subscript) -> bool:
    """Whether the function reads a value of the same dict by the same key."""
    same = ast.unparse(target)
    held, key = ast.unparse(target.value), ast.unparse(target.slice)
    return any(
        (isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load) and ast.unparse(one) == same)
        or (isinstance(one, ast.Call) and ast.unparse(one.func) == f"{held}.get" and one.args
            and ast.unparse(one.args[0]) == key)
        for one in ast.walk(definition)
    )  # fmt: skip


def _sources(definition: ast.AST) -> Mapping[str, set[str]]:
    """The names that each local name is computed from."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in ast.walk(definition):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for name in ast.walk(target) if isinstance(target, ast.Name | ast.Tuple) else ():
                    if isinstance(name, ast.Name):
                        found[name.id] |= _names(node.value)
    return found


def _roots(node: ast.AST, sources: Mapping[str, set[str]]) -> set[str]:
    """All names that an expression depends on, through those that are assigned before."""
    found, left = set(), _names(node)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left |= sources.get(name, set())
    return found


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
