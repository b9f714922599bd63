"""Caches of scores whose key lacks the row: what is kept for an answer in one row counts in all others."""

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.author_code.answer_parameters import roots, sources_in, with_answers
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, parameters_of

_ANSWERS = {"completion", "messages", "tool_calls"}
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


def coarse_keys(functions: Sequence[ScoreFunction], names: Collection[str], is_shared: bool) -> Iterator[CoarseKey]:
    """What functions of a score keep by the answer alone, although it depends on columns of the row.

    `is_shared` says whether attributes of `self` outlive an episode.
    """
    for function, definition, answers in with_answers(functions, _ANSWERS):
        columns = (parameters_of(definition) - answers) & {*names, *_OF_ROWS}
        sources = sources_in(ast.walk(definition))
        for node in ast.walk(definition):
            targets = node.targets if isinstance(node, ast.Assign) else []
            target = next((one for one in targets if isinstance(one, ast.Subscript)), None)
            if not isinstance(node, ast.Assign) or target is None:
                continue
            kept_in = ast.unparse(target.value)
            if not outlives(function, target.value, is_shared) or not is_looked_up(definition, target):
                continue
            of_key, of_value = roots(target.slice, sources), roots(node.value, sources)
            lacks = sorted((of_value & columns) - of_key)
            if of_key & answers and not of_key & columns and lacks:
                yield CoarseKey(function.name, kept_in, ast.unparse(target.slice), tuple(lacks), ast.unparse(node))


def outlives(function: ScoreFunction, held: ast.expr, is_shared: bool) -> bool:
    """Whether a dict is an attribute of an instance that scores all episodes, or a global."""
    if isinstance(held, ast.Attribute) and isinstance(held.value, ast.Name) and held.value.id in ("self", "cls"):
        return is_shared or held.value.id == "cls"
    return isinstance(function.named(held), dict)


def is_looked_up(definition: ast.AST, target: ast.Subscript) -> bool:
    """Whether the function reads a value of the same dict by the same key."""
    same = ast.unparse(target)
    held, key = ast.unparse(target.value), ast.unparse(target.slice)
    return any(
        (isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load) and ast.unparse(one) == same)
        or (isinstance(one, ast.Call) and ast.unparse(one.func) == f"{held}.get" and one.args
            and ast.unparse(one.args[0]) == key)
        for one in ast.walk(definition)
    )  # fmt: skip
