"""The author's functions with their code rewritten, so that it tells what it compares and does nothing else."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from types import CodeType, FunctionType

from grpo_env_sdk.checking.evidence.author_code.compared_values import KINDS, Telling
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction

_PLACE = "what is told of comparisons stands here"
"""A constant in the place of the object that is told; no text of an author."""
_OF_FIRST = {
    "startswith", "endswith", "find", "count", "index", "remove", "get", "pop", "setdefault",
    "issubset", "issuperset", "intersection", "match", "fullmatch", "search",
}  # fmt: skip
"""Methods that compare what they belong to with their first argument."""
_OF_TWO = {"isclose", "allclose", "match", "fullmatch", "search"}
"""Functions that compare their first two arguments."""
_AWAITS = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def watching_codes(functions: Iterable[ScoreFunction], telling: Telling) -> dict[FunctionType, CodeType]:
    """The code of each function that tells what it compares, for those that compare something."""
    return {one.function: code for one in functions if (code := _watching(one, telling)) is not None}


def _watching(one: ScoreFunction, telling: Telling) -> CodeType | None:
    """The code of a function that tells what it compares; None where it compares nothing, or its names are unusual."""
    own = one.function.__code__
    tree = next((node for node in one.nodes if getattr(node, "name", "") == own.co_name), None)
    if not isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    watch = _Watch(own.co_qualname)
    body = watch.visit(deepcopy(tree))
    body.decorator_list = []
    if not watch.found:
        return None
    with suppress(SyntaxError, ValueError, RecursionError):
        made = compile(ast.fix_missing_locations(ast.Module([_within(body, own)], [])), own.co_filename, "exec")
        codes = (code for code in _codes(made) if code.co_name == own.co_name and _takes_its_place(code, own))
        return next((_placed(code, telling) for code in codes), None)
    return None


def _within(body: ast.stmt, own: CodeType) -> ast.FunctionDef:
    """A function that has another one within it, as the author's module has: with the names that it closes over."""
    free = [name for name in own.co_freevars if name != "__class__"]
    *_, around, _name = ("", *own.co_qualname.split("."))
    named: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in free]
    if around and around != "<locals>":  # names with two underscores, and super(), mean the class
        within = ast.parse(f"class {around}:\n    pass").body[0]
        assert isinstance(within, ast.ClassDef)
        within.body, body = [body], within
        named += [] if around in free else [ast.Global([around])]  # as in the module, whose function may name its class
    factory = ast.parse("def factory():\n    pass").body[0]
    assert isinstance(factory, ast.FunctionDef)
    factory.body = [*named, body]
    return factory


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


def _placed(code: CodeType, telling: Telling) -> CodeType:
    """The code with what is told in its place, so that it needs no name of the author's module."""

    def constant(one: object) -> object:
        if isinstance(one, CodeType):
            return _placed(one, telling)
        return telling if isinstance(one, str) and one == _PLACE else one

    return code.replace(co_consts=tuple(map(constant, code.co_consts)))


class _Watch(ast.NodeTransformer):
    """Puts a call in the place of each comparison of two values."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._sites = 0
        self._in_class_body = False

    @property
    def found(self) -> bool:
        """Whether there is any comparison."""
        return self._sites > 0

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`a == b`, `len(a) == b`, `a < b < c`; not what awaits between two comparisons."""
        self.generic_visit(node)
        kinds = [type(one).__name__ for one in node.ops]
        chained = len(kinds) > 1 and any(
            isinstance(one, _AWAITS) for part in node.comparators for one in ast.walk(part)
        )
        if chained or not all(kind in KINDS for kind in kinds):
            return node
        left = node.left
        of_length = isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "len"
        if of_length and len(kinds) == 1 and isinstance(left, ast.Call) and len(left.args) == 1:
            return self._told("length", ast.Constant(kinds[0]), left.args[0], node.comparators[0])
        if len(kinds) == 1:
            return self._told("compared", ast.Constant(kinds[0]), left, node.comparators[0])
        if self._in_class_body:
            return node
        later = [ast.Lambda(ast.arguments([], [], None, [], [], None, []), one) for one in node.comparators[1:]]
        return self._told("chained", ast.Constant(" ".join(kinds)), left, node.comparators[0], *later)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """A class within a function, whose names its lambdas do not see."""
        before, self._in_class_body = self._in_class_body, True
        self.generic_visit(node)
        self._in_class_body = before
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """`words & known`."""
        self.generic_visit(node)
        if isinstance(node.op, ast.BitAnd):
            return self._told("compared", ast.Constant("BitAnd"), node.left, node.right)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`table[word]`."""
        self.generic_visit(node)
        fixed = isinstance(node.slice, ast.Slice | ast.Constant | ast.UnaryOp | ast.Tuple)
        if fixed or not isinstance(node.ctx, ast.Load):
            return node
        return self._told("looked_up", node.value, node.slice)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """`words: list[str] = ...`, whose type is left as it is."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """An argument, whose type is left as it is."""
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`text.startswith(a)`, `table.get(a)`, `isclose(a, b)`, `abs(a - b)`, `int(a)`."""
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Starred) or first is None:
            return node
        if name == "abs" and isinstance(first, ast.BinOp) and isinstance(first.op, ast.Sub):
            node.args[0] = self._told("compared", ast.Constant("Sub"), first.left, first.right)
        elif (
            (name in _OF_TWO and len(node.args) > 1)
            or (name in _OF_FIRST and isinstance(node.func, ast.Attribute))
            or (name in ("int", "float") and isinstance(node.func, ast.Name) and len(node.args) == 1)
        ):
            return self._told("called", node.func, *node.args, named=node.keywords)
        return node

    def _told(self, how: str, *parts: ast.expr, named: Sequence[ast.keyword] = ()) -> ast.Call:
        self._sites += 1
        site = ast.Constant(f"{self._name}:{self._sites}")
        return ast.Call(ast.Attribute(ast.Constant(_PLACE), how, ast.Load()), [site, *parts], list(named))
