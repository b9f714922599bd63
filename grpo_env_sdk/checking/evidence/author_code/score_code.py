"""The parsed source of the author's functions that a score calls, from the scorer and the rewards on."""

import ast
import inspect
import textwrap
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from grpo_env_sdk.checking.evidence.author_code.code_words import meant_by, plain_function
from grpo_env_sdk.envs.traits import toolbox_of
from grpo_env_sdk.isolation.author_code.author_classes import by_authors, on_class
from grpo_env_sdk.isolation.author_code.author_globals import packages_of
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.tools.tool import Tool

MOST_FUNCTIONS = 60
_trees: WeakKeyDictionary[FunctionType, ast.AST | None] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class ScoreFunction:
    """One function that a score calls: its syntax tree, and the values of its names."""

    function: FunctionType
    tree: ast.AST

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree, those further up first."""
        return _nodes_of(self.tree)

    @property
    def name(self) -> str:
        """What a message calls it."""
        return self.function.__name__

    def is_local(self, name: str) -> bool:
        """Whether a name is set in the function itself."""
        code = self.function.__code__
        return name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars)

    def named(self, node: ast.expr) -> Any:
        """The value of a global name or of an attribute of one, such as `random.choice`; None if there is none."""
        if isinstance(node, ast.Name):
            return self.function.__globals__.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.named(node.value)
            return None if owner is None else inspect.getattr_static(owner, node.attr, getattr(owner, node.attr, None))
        return None


def score_functions(env: Any) -> list[ScoreFunction]:
    """The author's functions that a score calls, as far as names tell."""
    return _called_from(env, _first(env))


def episode_functions(env: Any) -> list[ScoreFunction]:
    """The author's functions that an episode calls, as far as names tell: tools, `step` and what else a class has."""
    methods = (value for base in by_authors(type(env)) for value in vars(base).values())
    tools: Iterable[Tool] = ()
    with suppress(Exception):  # an author's `get_tools`, which may need a row
        tools = toolbox_of(env).tools.values()
    return _called_from(env, [*_first(env), *(tool.function for tool in tools), *methods], with_classes=True)


def row_functions(env: Any) -> list[ScoreFunction]:
    """The author's functions that write the rows, as far as names tell."""
    return _called_from(env, [on_class(type(env), "build_dataset"), on_class(type(env), "__init__")])


def code_beside_rows(env: Any) -> str:
    """The source of the methods of the author's classes that no function which writes the rows calls."""
    roots, known = packages_of(type(env)), {one.function.__code__ for one in row_functions(env)}
    own = [base for base in type(env).__mro__ if base.__module__.partition(".")[0] in roots]
    texts = []
    for value in (plain_function(value) for base in own for value in vars(base).values()):
        if isinstance(value, FunctionType) and value.__code__ not in known:
            with suppress(OSError, TypeError):
                texts.append(inspect.getsource(value))
    return "\n".join(texts)


def _called_from(env: Any, first: Iterable[Any], with_classes: bool = False) -> list[ScoreFunction]:
    roots = packages_of(type(env))
    left: deque[Any] = deque(function for function in first if function is not None)
    found: dict[Any, ScoreFunction] = {}
    while left and len(found) < MOST_FUNCTIONS:
        function = plain_function(left.popleft())
        if not isinstance(function, FunctionType) or function.__code__ in found:
            continue
        if (function.__module__ or "").partition(".")[0] not in roots:
            continue
        if (tree := _parsed(function)) is None:
            continue
        found[function.__code__] = ScoreFunction(function, tree)
        for named in (meant_by(env, function, name) for name in _names(tree)):
            left.extend(vars(named).values() if with_classes and isinstance(named, type) else (named,))
    return list(found.values())


def _parsed(function: FunctionType) -> ast.AST | None:
    """The syntax tree of a function, parsed for the first check that asks; None where there is no source."""
    if function not in _trees:
        _trees[function] = None
        with suppress(OSError, TypeError, SyntaxError):
            _trees[function] = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return _trees[function]


@lru_cache(maxsize=256)
def _nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree))


def _first(env: Any) -> Iterator[Any]:
    yield on_class(type(env), "score_episode")
    yield from (reward.function for reward in Rubric.of(env).rewards)


def _names(tree: ast.AST) -> Iterator[str]:
    """The names of functions and methods that may be called."""
    for node in _nodes_of(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            yield node.attr


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The parameters of a function that an answer or a row may be given to."""
    given = function.args
    names = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    return names - {"self", "cls", "model", "tokenizer"}
