"""What the author's code compares while it scores: the pairs of values, in the order in which they are compared."""

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from types import CodeType, FunctionType
from typing import Any

from grpo_env_sdk.checking.evidence.score_code import ScoreFunction

MOST_SEEN = 400
_TOLD = "__grpo_env_compared__"
"""The name under which watched code finds what notes a pair; no name of an author."""
_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right, ast.Sub: operator.sub,
}  # fmt: skip
_OF_TEXTS = {"startswith", "endswith", "find", "count", "index"}
"""Methods that compare a text with their first argument."""
_OF_NUMBERS = {"isclose", "allclose"}
_NAMES = {kind.__name__: function for kind, function in _OPERATORS.items()}

Pair = tuple[Any, Any]


@contextmanager
def comparisons_watched(codes: Mapping[FunctionType, CodeType]) -> Iterator[list[Pair]]:
    """The pairs that functions compare while they have these codes; they are what they were again afterwards."""
    seen: list[Pair] = []
    before = {function: function.__code__ for function in codes}

    def told(how: Any, *given: Any, **named: Any) -> Any:
        if isinstance(how, str):
            pair, result = given, _NAMES[how](*given)
        else:
            of_text = isinstance(getattr(how, "__self__", None), str | list | tuple)
            pair, result = (how.__self__, *given)[:2] if of_text else given[:2], how(*given, **named)
        if len(pair) == 2 and len(seen) < MOST_SEEN:
            seen.append(pair)
        return result

    try:
        for function, code in codes.items():
            function.__globals__[_TOLD] = told
            function.__code__ = code
        yield seen
    finally:
        for function, code in before.items():
            function.__code__ = code
            function.__globals__.pop(_TOLD, None)


def watching_codes(functions: Iterable[ScoreFunction]) -> dict[FunctionType, CodeType]:
    """The code of each function that tells what it compares, for those that compare something."""
    return {one.function: code for one in functions if (code := _watching(one)) is not None}


def _watching(one: ScoreFunction) -> CodeType | None:
    """The code of a function that tells what it compares; None where it compares nothing, or its names are unusual."""
    own = one.function.__code__
    tree = next((node for node in ast.walk(one.tree) if getattr(node, "name", "") == own.co_name), None)
    if not isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    watch = _Watch()
    body = watch.visit(deepcopy(tree))
    body.decorator_list = []
    if not watch.found:
        return None
    free = [name for name in own.co_freevars if name != "__class__"]
    *_, around, _name = ("", *own.co_qualname.split("."))
    within: ast.stmt = body
    if around and around != "<locals>":  # names with two underscores, and super(), mean the class
        within = ast.parse(f"class {around}:\n    pass").body[0]
        assert isinstance(within, ast.ClassDef)
        within.body = [body]
    named = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in free]
    factory = ast.parse("def factory():\n    pass").body[0]
    assert isinstance(factory, ast.FunctionDef)
    factory.body = [*named, within]
    with suppress(SyntaxError, ValueError, RecursionError):
        made = compile(ast.fix_missing_locations(ast.Module([factory], [])), own.co_filename, "exec")
        return next(
            (code for code in _codes(made) if code.co_name == own.co_name and _takes_its_place(code, own)), None
        )
    return None


def _takes_its_place(code: CodeType, own: CodeType) -> bool:
    names = ("co_freevars", "co_argcount", "co_kwonlyargcount", "co_posonlyargcount")
    kinds = 0x04 | 0x08 | 0x20 | 0x80 | 0x200  # of more arguments, generators and coroutines
    return all(getattr(code, name) == getattr(own, name) for name in names) and not (
        (code.co_flags ^ own.co_flags) & kinds
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)


class _Watch(ast.NodeTransformer):
    """Puts a call in the place of each comparison of two values."""

    found = False

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`a == b`; what is compared in a chain is left as it is."""
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]) not in _OPERATORS:
            return node
        return self._told(ast.Constant(type(node.ops[0]).__name__), node.left, node.comparators[0])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`text.startswith(a)`, `isclose(a, b)`, `abs(a - b)`."""
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Starred) or first is None:
            return node
        if name == "abs" and isinstance(first, ast.BinOp) and isinstance(first.op, ast.Sub):
            node.args[0] = self._told(ast.Constant("Sub"), first.left, first.right)
        elif (name in _OF_NUMBERS and len(node.args) > 1) or (
            name in _OF_TEXTS and isinstance(node.func, ast.Attribute)
        ):
            return self._told(node.func, *node.args, named=node.keywords)
        return node

    def _told(self, *parts: ast.expr, named: Sequence[ast.keyword] = ()) -> ast.Call:
        self.found = True
        return ast.Call(ast.Name(_TOLD, ast.Load()), list(parts), list(named))
