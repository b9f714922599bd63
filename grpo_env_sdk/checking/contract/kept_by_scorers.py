"""Whether scorers draw at random, read the clock, or read what earlier scores left, by their source."""

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.author_code.coarse_keys import coarse_keys
from grpo_env_sdk.checking.evidence.author_code.kept_verdicts import kept_verdicts
from grpo_env_sdk.checking.evidence.author_code.mixed_up_scores import mixed_up
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, score_functions
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import NOT_YOURS, STATELESS, Finding
from grpo_env_sdk.plain_text import joined

_DRAWS = {
    "random", "randint", "randrange", "choice", "choices", "sample", "shuffle", "uniform", "gauss", "normal", "rand",
    "randn", "permutation", "betavariate", "triangular", "integers", "getrandbits",
}  # fmt: skip
_NOW = {"today", "now", "utcnow"}
_GROWS = {"add", "append", "appendleft", "extend", "extendleft", "insert", "update", "subtract"}
_EMPTIES = {"clear"}
_SEEDED = f"Draw from random.Random with a seed from the row, or score all of the answer. {NOT_YOURS}"


@check("C149", needs=("rows",), severity="warning")
def scores_do_not_draw_or_remember(subject: Subject) -> Iterator[Finding]:
    """The code of a score draws nothing without a seed, and reads neither the date nor what earlier scores left."""
    env = subject.loaded.env
    functions = score_functions(env)
    if drawn := _first_draw(functions):
        what, line = drawn
        yield Finding(
            f"The score depends on chance: {what} draws without a seed of the row, so the same answer may get "
            "another score.", _SEEDED, output=line,
        )  # fmt: skip
    shared = subject.traits.instances == "shared"
    if grown := next((kept for kept in _kept(functions) if kept.is_global or shared), None):
        yield Finding(
            f"The score depends on earlier episodes: {grown.where} reads {grown.name}, to which scores add and which "
            "nothing empties in between.", STATELESS, output=grown.line,
        )  # fmt: skip
    names = subject.rows.columns
    if coarse := next(coarse_keys(functions, names, shared), None):
        yield Finding(
            f"Scores are kept by too coarse a key: {coarse.where} keeps them in {coarse.kept_in} by {coarse.key} "
            f"alone, although they depend on {joined(coarse.lacks)} of the row, so an answer that is right in one row "
            "earns the same in every other one.",
            "Put all that the score depends on into the key: the columns of the row, or its id, and the whole answer.",
            output=coarse.line, severity="error",
        )  # fmt: skip
    if kept := next(kept_verdicts(functions, shared), None):
        yield Finding(
            f"The first answer decides for all: {kept.where} keeps what it found in an answer in {kept.kept_in} by "
            f"{kept.key}, without the answer, and later answers to that row get it without being read.",
            "Put the whole answer into the key, or keep only what follows from the row alone.",
            output=kept.line, severity="error",
        )  # fmt: skip
    if mixed := mixed_up(functions) if shared else None:
        yield Finding(
            f"Scores mix up rows: {mixed.sets} sets {mixed.name} and awaits, and {mixed.reads} reads it afterwards, "
            "when the scorer of another row may have set it.",
            "Keep it in a local variable, and pass it on: async scorers run at the same time on one instance.",
            output=mixed.line, severity="error",
        )  # fmt: skip
    if read := _first_date(functions):
        what, line = read
        yield Finding(
            f"The score depends on the day: {what} reads today's date, so that an answer is right on some days.",
            "Put the date into the row and into the prompt.", output=line,
        )  # fmt: skip


def _calls(functions: Sequence[ScoreFunction]) -> Iterator[tuple[ScoreFunction, ast.Call, Any, str]]:
    """Each call by a name that is known: the function that makes it, what owns the one called, and its name."""
    for function in functions:
        for node in function.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield function, node, function.named(node.func.value), node.func.attr
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                called = function.named(node.func)
                yield function, node, getattr(called, "__self__", called), getattr(called, "__name__", node.func.id)


def _first_draw(functions: Sequence[ScoreFunction]) -> tuple[str, str] | None:
    """The function of a score that draws from the generator of the process, and the line; None if one seeds it."""
    calls = list(_calls(functions))
    if any(name == "seed" for *_, name in calls):
        return None
    for function, call, owner, name in calls:
        module = getattr(owner, "__name__", "") if not isinstance(owner, type) else ""
        of_process = owner is random or owner is getattr(random, "_inst", None) or module == "numpy.random"
        unseeded = not call.args and not call.keywords and name in ("Random", "default_rng")
        if (of_process and (name in _DRAWS or unseeded or name == "SystemRandom")) or (
            owner is random.Random and unseeded
        ):
            return function.name, ast.unparse(call)
    return None


def _first_date(functions: Sequence[ScoreFunction]) -> tuple[str, str] | None:
    for function, call, owner, name in _calls(functions):
        if owner in (date, datetime) and name in _NOW:
            return function.name, ast.unparse(call)
    return None


@dataclass(frozen=True, slots=True)
class _Kept:
    name: str
    where: str
    line: str
    is_global: bool


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of something that outlives a call: an attribute of `self`, or a global."""

    name: str
    kind: str
    where: str
    node: ast.AST
    is_global: bool


def _kept(functions: Sequence[ScoreFunction]) -> Iterator[_Kept]:
    """What scores add to and read, and never empty or set anew before they read it."""
    uses = [use for function in functions for use in _uses(function)]
    for name in dict.fromkeys(use.name for use in uses):
        mine = [use for use in uses if use.name == name]
        kinds = {use.kind for use in mine}
        first = mine[0].kind
        if "grows" in kinds and "reads" in kinds and "empties" not in kinds and first != "sets":
            read = next(use for use in mine if use.kind == "reads")
            yield _Kept(name, read.where, ast.unparse(read.node)[:200], read.is_global)


def _uses(function: ScoreFunction) -> list[_Use]:
    """Each use of something kept, in the order of the source; what is only logged is left out."""
    parents = {child: node for node in function.nodes for child in ast.iter_child_nodes(node)}
    found = []
    for node in function.nodes:
        name = _name_of(function, node)
        if name and not isinstance(parents.get(node), ast.Attribute | ast.Global):
            found.append((node, name, _kind(node, parents)))
        elif name and isinstance(parent := parents.get(node), ast.Attribute):
            found.append((node, name, _kind_of_method(parent, parents)))
    found.sort(key=lambda one: (getattr(one[0], "lineno", 0), getattr(one[0], "col_offset", 0)))
    return [
        _Use(name, kind, function.name, _statement(node, parents), isinstance(node, ast.Name))
        for node, name, kind in found
        if kind
    ]


def _name_of(function: ScoreFunction, node: ast.AST) -> str:
    """`self.seen`, `cls.seen`, or the name of a global container or one declared `global`; else nothing."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
        return f"{node.value.id}.{node.attr}"
    if isinstance(node, ast.Name):
        declared = any(isinstance(one, ast.Global) and node.id in one.names for one in function.nodes)
        held = function.function.__globals__.get(node.id)
        container = isinstance(held, list | set | dict) and node.id not in function.function.__code__.co_varnames
        return node.id if declared or container else ""
    return ""


def _kind(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> str:
    """`grows`, `sets` or `reads`; empty for what is logged or looked up by its key, as in a cache."""
    parent = parents.get(node)
    if isinstance(parent, ast.AugAssign) and parent.target is node:
        return "grows"
    if isinstance(parent, ast.Subscript) and parent.value is node:
        above = parents.get(parent)
        counted = isinstance(above, ast.AugAssign) and above.target is parent
        return "grows" if counted else "" if isinstance(parent.ctx, ast.Store | ast.Del) else _read(parent, parents)
    if isinstance(getattr(node, "ctx", None), ast.Store):
        value = getattr(parent, "value", None)
        again = value is not None and any(ast.dump(one) == _as_read(node) for one in ast.walk(value))
        return "grows" if again else "sets"
    return _read(node, parents)


def _kind_of_method(parent: ast.Attribute, parents: dict[ast.AST, ast.AST]) -> str:
    if parent.attr in _GROWS:
        return "grows"
    if parent.attr in _EMPTIES:
        return "empties"
    return _read(parent, parents)


def _as_read(node: ast.AST) -> str:
    """The dump of a name that is set, as if it were read."""
    return ast.dump(node).replace("ctx=Store()", "ctx=Load()")


def _read(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> str:
    """`reads`, or nothing where the value is only called for, printed, or decides what is printed."""
    while (parent := parents.get(node)) is not None:
        if isinstance(parent, ast.Expr):
            return ""
        if isinstance(parent, ast.If | ast.While) and node is parent.test:
            return "" if all(isinstance(one, ast.Expr) for one in parent.body) and not parent.orelse else "reads"
        if isinstance(parent, ast.stmt):
            return "reads"
        node = parent
    return ""


def _statement(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.AST:
    """The expression or simple statement around a node, as a finding shows it."""
    while isinstance(parent := parents.get(node), ast.expr | ast.comprehension):
        node = parent
    return parent if isinstance(parent, ast.Assign | ast.Return | ast.AugAssign) else node
