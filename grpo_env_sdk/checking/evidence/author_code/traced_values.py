"""What values in the author's code are: names of tool calls, their arguments, roles of messages, columns of rows."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.code_words import meant_by, plain_function
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction

MOST_ROUNDS = 20
"""How often the functions are gone through at most, until what is known of their names stays the same."""
_COPIES = {"list", "tuple", "set", "frozenset", "sorted", "reversed", "Counter", "deque", "iter"}
_ADDS = {"append", "add", "appendleft"}
_OF_MESSAGES = {"tool_calls": ("call", 1), "role": ("role", 0)}
_OF_CALLS = {"function": ("call", 0), "name": ("name", 0), "arguments": ("arguments", 0)}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value is (`name`, `column`, ...), of which key, and within how many containers."""

    what: str
    key: str = ""
    depth: int = 0

    def within(self, more: int) -> "Kind | None":
        """The same in more containers, or in fewer; None where there are no fewer."""
        if self == _NOTHING:
            return self
        return replace(self, depth=self.depth + more) if self.depth + more >= 0 else None


_Kinds = dict[Any, Kind | None]
_Types = tuple[type[ast.AST], ...]
_SETTING: _Types = (
    ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension, ast.Call, ast.Return,
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda,
)  # fmt: skip
"""The nodes that say what a name is, or what a function is given or returns."""
Given = Mapping[tuple[str, str], Kind]
"""What is known beforehand: by the name of a function and of its parameter; of any function by an empty name."""
OF_EPISODES: Given = {
    ("", "tool_calls"): Kind("call", depth=1), ("", "messages"): Kind("message", depth=1),
    ("", "completion"): Kind("message", depth=1), ("", "action"): Kind("message"), ("", "episode"): Kind("episode"),
}  # fmt: skip
"""What parameters of these names are."""
_NOTHING = Kind("nothing")
"""None or an empty container, which says nothing of what a name holds later; and what was not gone through yet."""


class TracedValues:
    """The kinds of the values in some functions, by what they are taken from; unknown where two places disagree."""

    def __init__(self, env: Any, functions: Sequence[ScoreFunction], given: Given) -> None:
        self.functions = functions
        self._env, self._given = env, given
        self._names: _Kinds = {}
        self._returned: _Kinds = {}
        self._passed: _Kinds = {}
        self._nodes_of: dict[tuple[Any, _Types], list[ast.AST]] = {}
        self._codes = {one.function.__code__ for one in functions}
        self._unknown: Kind | None = _NOTHING
        self._names, self._returned, self._passed = known = self._gone_through()
        self._unknown = None
        for _ in range(MOST_ROUNDS):
            before, known = known, self._gone_through()
            self._names, self._returned, self._passed = known
            if known == before:
                return
        self._names, self._returned, self._passed = {}, {}, {}

    def kind(self, function: ScoreFunction, node: ast.AST) -> Kind | None:
        """What a piece of code of a function is; None where that is not known."""
        found = self._kind(function, node)
        return None if found == _NOTHING else found

    def _gone_through(self) -> tuple[_Kinds, _Kinds, _Kinds]:
        """The kinds of names, of what functions return, and of what they are called with."""
        bound: list[tuple[Any, Kind | None]] = []
        returned: list[tuple[Any, Kind | None]] = []
        passed: list[tuple[Any, Kind | None]] = []
        for function in self.functions:
            code = function.function.__code__
            bound += [(_key(code, name), kind) for name, kind in self._bindings(function)]
            for node in self._nodes(function, _SETTING):
                if isinstance(node, ast.Return) and node.value is not None:
                    returned.append((code, self._kind(function, node.value)))
                elif isinstance(node, ast.Call):
                    passed += self._given_to(function, node)
        return _agreed(bound), _agreed(returned), _agreed(passed)

    def _nodes(self, function: ScoreFunction, types: _Types) -> list[ast.AST]:
        """The nodes of a function that are of these types."""
        key = (function.function.__code__, types)
        if key not in self._nodes_of:
            self._nodes_of[key] = [node for node in function.nodes if isinstance(node, types)]
        return self._nodes_of[key]

    def _bindings(self, function: ScoreFunction) -> Iterator[tuple[str, Kind | None]]:
        """Each name, or attribute of self, that a function sets, and to what."""
        known: set[int] = set()
        for node in self._nodes(function, _SETTING):
            for target, kind in self._targets(function, node):
                known.add(id(target))
                if name := _written(target):
                    yield name, kind
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                outer = getattr(function.tree, "body", [None])[0] is node
                for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                    yield parameter.arg, self._of_parameter(function, parameter.arg) if outer else None
        for node in self._nodes(function, (ast.Name, ast.Attribute)):
            stored = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del)
            if stored and id(node) not in known and (name := _written(node)):
                yield name, None

    def _targets(self, function: ScoreFunction, node: ast.AST) -> Iterator[tuple[ast.expr, Kind | None]]:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            yield node.targets[0], self._kind(function, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            yield node.target, self._kind(function, node.value)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            target, source = node.target, node.iter
            if isinstance(source, ast.Call) and getattr(source.func, "id", "") == "enumerate" and source.args:
                source = source.args[0]
                target = target.elts[-1] if isinstance(target, ast.Tuple) else target
            held = self._kind(function, source)
            yield target, held and held.within(-1)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
            kind = self._kind(function, node.args[0])
            if node.func.attr in _ADDS and _written(node.func.value):
                yield node.func.value, kind and kind.within(1)
            elif node.func.attr in ("extend", "update") and _written(node.func.value):
                yield node.func.value, kind

    def _of_parameter(self, function: ScoreFunction, name: str) -> Kind | None:
        for key in ((function.name, name), ("", name)):
            if key in self._given:
                return self._given[key]
        return self._passed.get((function.function.__code__, name), self._unknown)

    def _given_to(self, function: ScoreFunction, node: ast.Call) -> Iterator[tuple[tuple[Any, str], Kind | None]]:
        """What a call passes to the parameters of another of these functions."""
        if (called := self._called(function, node)) is not None:
            taken = called.__code__.co_varnames[: called.__code__.co_argcount]
            names = taken[1:] if isinstance(node.func, ast.Attribute) and taken[:1] in (("self",), ("cls",)) else taken
            for name, value in zip(names, node.args, strict=False):
                yield (called.__code__, name), self._kind(function, value)
            for keyword in node.keywords:
                yield (called.__code__, keyword.arg or ""), self._kind(function, keyword.value)

    def _called(self, function: ScoreFunction, node: ast.Call) -> FunctionType | None:
        own = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") in ("self", "cls")
        name = node.func.attr if own and isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        found = plain_function(meant_by(self._env, function.function, name)) if name else None
        return found if isinstance(found, FunctionType) and found.__code__ in self._codes else None

    def _kind(self, function: ScoreFunction, node: ast.AST) -> Kind | None:
        if isinstance(node, ast.Name):
            return self._names.get((function.function.__code__, node.id), self._unknown)
        if isinstance(node, ast.Constant):
            return _NOTHING if node.value in (None, "") else None
        if isinstance(node, ast.Attribute):
            return self._of_attribute(function, node)
        if isinstance(node, ast.Subscript):
            return self._of_subscript(function, node)
        if isinstance(node, ast.Call):
            return self._of_call(function, node)
        if isinstance(node, ast.Await | ast.NamedExpr):
            return self._kind(function, node.value)
        if isinstance(node, ast.BoolOp | ast.IfExp):
            last = isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And)
            parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values[-1 if last else 0 :]
            return _one_of(self._kind(function, part) for part in parts)
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            kind = self._kind(function, node.elt)
            return kind and kind.within(1)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            held = [one.value if isinstance(one, ast.Starred) else None for one in node.elts]
            return _one_of(self._kind(function, one) if one else None for one in held) if held else _NOTHING
        return _NOTHING if isinstance(node, ast.Dict) and not node.keys else None

    def _of_attribute(self, function: ScoreFunction, node: ast.Attribute) -> Kind | None:
        if _written(node) == "self.row":
            return Kind("row")
        if name := _written(node):
            return self._names.get(name, self._unknown)
        return self._of_key(self._kind(function, node.value), node.attr)

    def _of_subscript(self, function: ScoreFunction, node: ast.Subscript) -> Kind | None:
        owner = self._kind(function, node.value)
        if isinstance(node.slice, ast.Slice):
            return owner
        place = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
        if not isinstance(place, ast.Constant):
            return None
        if isinstance(place.value, int):
            return owner and owner.within(-1)
        return self._of_key(owner, str(place.value))

    def _of_call(self, function: ScoreFunction, node: ast.Call) -> Kind | None:
        called = self._called(function, node)
        if called is not None:
            return self._returned.get(called.__code__, self._unknown)
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        first = node.args[0] if node.args else None
        if isinstance(node.func, ast.Attribute) and name == "get" and isinstance(first, ast.Constant):
            return self._of_key(self._kind(function, node.func.value), str(first.value))
        if isinstance(node.func, ast.Attribute) and name == "copy":
            return self._kind(function, node.func.value)
        if name == "tool_calls_of":
            return Kind("call", depth=1)
        if first is None:
            return _NOTHING if name in _COPIES or name == "dict" else None
        kind = self._kind(function, first)
        if name == "loads":
            return kind if kind in (Kind("arguments"), _NOTHING) else None
        if name == "next":
            return kind and kind.within(-1)
        return kind if name in _COPIES and kind and (kind.depth or kind == _NOTHING) else None

    def _of_key(self, owner: Kind | None, key: str) -> Kind | None:
        """What a key or an attribute of a value is."""
        if key == "tool_calls" and (owner is None or owner.what in ("message", "episode")):
            return Kind("call", depth=1)
        if owner is None or owner.depth or owner == _NOTHING:
            return owner if owner == _NOTHING else None
        if owner.what == "episode" and key in ("messages", "completion"):
            return Kind("message", depth=1)
        if owner.what == "episode" and key == "row":
            return Kind("row")
        if owner.what in ("row", "arguments"):
            return Kind({"row": "column", "arguments": "argument"}[owner.what], key)
        found = {"message": _OF_MESSAGES, "call": _OF_CALLS}.get(owner.what, {}).get(key)
        return Kind(found[0], depth=found[1]) if found else None


def _written(node: ast.AST) -> str:
    """A name, or an attribute of self as `self.name`; empty for other code."""
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self":
        return f"self.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _key(code: Any, name: str) -> Any:
    """By what a name is kept: one of a function belongs to it, an attribute of self to all."""
    return name if name.startswith("self.") else (code, name)


def _agreed(found: Iterable[tuple[Any, Kind | None]]) -> dict[Any, Kind | None]:
    by_name: dict[Any, list[Kind | None]] = {}
    for name, kind in found:
        by_name.setdefault(name, []).append(kind)
    return {name: _one_of(kinds) for name, kinds in by_name.items()}


def _one_of(kinds: Iterable[Kind | None]) -> Kind | None:
    """The one kind of several places, of which some may hold nothing; None where two differ, or one is unknown."""
    every = set(kinds)
    some = every - {_NOTHING}
    return next(iter(some), _NOTHING) if len(some) < 2 else None
