"""Caches of scores whose key lacks the answer: the first answer to a row decides for all later ones."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.author_code.answer_parameters import Definition, roots, sources_in, with_answers
from grpo_env_sdk.checking.evidence.author_code.coarse_keys import is_looked_up, outlives
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, parameters_of

_ANSWERS = {"completion", "tool_calls"}
_NO_KEYS = {"self", "cls", "episode", "messages", "state"}
"""What may hold something of the answer in an attribute."""


@dataclass(frozen=True, slots=True)
class KeptVerdict:
    """What is worked out from the first answer, and kept by a key without it."""

    where: str
    kept_in: str
    key: str
    line: str


def kept_verdicts(functions: Sequence[ScoreFunction], is_shared: bool) -> Iterator[KeptVerdict]:
    """What functions of a score keep of an answer by the row alone, and return for every later answer unread.

    `is_shared` says whether attributes of `self` outlive an episode.
    """
    for function, definition, answers in with_answers(functions, _ANSWERS):
        for store in (node for node in ast.walk(definition) if isinstance(node, ast.Assign)):
            target = next((one for one in store.targets if isinstance(one, ast.Subscript)), None)
            if target is None or not outlives(function, target.value, is_shared):
                continue
            sources = sources_in(ast.walk(definition))
            of_key, of_value = roots(target.slice, sources), roots(store.value, sources)
            by_row = of_key & parameters_of(definition) and not of_key & (answers | _NO_KEYS)
            if not by_row or not of_value & answers or not is_looked_up(definition, target):
                continue
            if _is_returned_unread(definition, store, target, answers):
                held, key = ast.unparse(target.value), ast.unparse(target.slice)
                yield KeptVerdict(function.name, held, key, ast.unparse(store))


def _is_returned_unread(definition: Definition, store: ast.Assign, target: ast.Subscript, answers: set[str]) -> bool:
    """Whether the function returns what is kept, where something is, by code that names nothing of the answer."""
    held = ast.unparse(target.value)
    for guard in (node for node in ast.walk(definition) if isinstance(node, ast.If) and node.lineno <= store.lineno):
        missed = next((lines for lines in (guard.body, guard.orelse) if store in _nodes(lines)), [])
        if missed:
            below = [line for line in definition.body if line.lineno > (guard.end_lineno or 0)]
            hit = [*(guard.orelse if missed is guard.body else guard.body), *below]
            known = set(ast.walk(definition)) - _nodes(missed)
        else:
            hit = guard.body
            known = {node for node in ast.walk(definition) if getattr(node, "lineno", 0) <= (guard.end_lineno or 0)}
        last = hit[-1] if hit else None
        if not isinstance(last, ast.Return) or last.value is None:
            continue
        sources = sources_in(known)
        looked_up = {name for name, of in _assigned(known) if held in of}
        is_read = all(held in ast.unparse(one) or roots(one, sources) & looked_up for one in (guard.test, last))
        read = [guard.test, *(line for line in hit if not isinstance(line, ast.Expr))]  # the rest is only logged
        if is_read and not any(roots(line, sources) & answers for line in read):
            return True
    return False


def _nodes(lines: Iterable[ast.stmt]) -> set[ast.AST]:
    return {node for line in lines for node in ast.walk(line)}


def _assigned(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Each name that is assigned to, with the code of its value."""
    for node in nodes:
        if isinstance(node, ast.Assign | ast.NamedExpr):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield ast.unparse(target), ast.unparse(node.value)
