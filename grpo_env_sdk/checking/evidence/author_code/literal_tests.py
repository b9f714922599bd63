"""Where the author's code compares a value with words and numbers that are written in it."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, episode_functions
from grpo_env_sdk.checking.evidence.author_code.traced_values import Given, Kind, TracedValues
from grpo_env_sdk.isolation.author_code.author_classes import on_class

MOST_LITERALS = 200
_IN, _LIKE, _ALL = (ast.In, ast.NotIn), (ast.Eq, ast.NotEq), (ast.Eq, ast.NotEq, ast.LtE, ast.GtE)
_COUNTS = {"count", "index"}
_NO_LITERAL = object()


@dataclass(frozen=True)
class LiteralTest:
    """A comparison of a value of a known kind with literals, any one of which is enough."""

    function: ScoreFunction
    node: ast.AST
    kind: Kind
    literals: tuple[Any, ...]

    @property
    def place(self) -> str:
        """The comparison as it is written, with its function and line."""
        line = self.function.function.__code__.co_firstlineno + getattr(self.node, "lineno", 1) - 1
        return f"{self.function.name} (line {line}): `{ast.unparse(self.node)[:120]}`"


@dataclass
class _Reader:
    """Finds them in one function."""

    env: Any
    function: ScoreFunction
    values: TracedValues
    joined: set[int] = field(default_factory=set)

    def tests(self) -> Iterator[LiteralTest]:
        for node in self.function.nodes:
            if isinstance(node, ast.BoolOp):
                yield from self._alternatives(node)
            elif isinstance(node, ast.Compare) and id(node) not in self.joined:
                yield from self._compared(node)
            elif isinstance(node, ast.Match):
                yield from self._matched(node)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) in (1, 2):
                yield from self._called(node, node.func, node.args[0])
            elif isinstance(node, ast.Subscript):
                yield from self._looked_up(node, node.value, node.slice)

    def _alternatives(self, node: ast.BoolOp) -> Iterator[LiteralTest]:
        """`a == "x" or a == "y"`, `a != "x" and a != "y"`: one comparison with either."""
        kinds: dict[Kind, list[LiteralTest]] = {}
        for part in node.values:
            own = list(self._compared(part)) if isinstance(part, ast.Compare) else []
            if len(own) == 1 and isinstance(part, ast.Compare):
                kinds.setdefault(own[0].kind, []).append(own[0])
        for kind, tests in kinds.items():
            if len(tests) > 1:
                self.joined |= {id(one.node) for one in tests}
                yield LiteralTest(self.function, node, kind, tuple(one for test in tests for one in test.literals))

    def _compared(self, node: ast.Compare) -> Iterator[LiteralTest]:
        if len(node.ops) != 1:
            return
        left, right, how = node.left, node.comparators[0], node.ops[0]
        for one, other in ((left, right), (right, left)):
            kind = self.values.kind(self.function, one)
            if kind is None:
                continue
            if isinstance(how, _LIKE) and not kind.depth and (literal := self.value(other)) is not _NO_LITERAL:
                yield from self._test(node, kind, [literal])
            elif isinstance(how, _ALL) and kind.depth == 1 and isinstance(other, ast.List | ast.Tuple | ast.Set):
                for literal in self.value(other, ()):
                    yield from self._test(node, kind, [literal])
            elif isinstance(how, _IN) and one is left and not kind.depth:
                yield from self._test(node, kind, self.value(other, ()))
            elif isinstance(how, _IN) and one is right and (literal := self.value(left)) is not _NO_LITERAL:
                yield from self._test(node, kind, [literal], within=True)

    def _matched(self, node: ast.Match) -> Iterator[LiteralTest]:
        if kind := self.values.kind(self.function, node.subject):
            for case in node.cases:
                parts = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
                literals = [self.value(one.value) for one in parts if isinstance(one, ast.MatchValue)]
                yield from self._test(case.pattern, kind, [one for one in literals if one is not _NO_LITERAL])

    def _called(self, node: ast.Call, called: ast.Attribute, first: ast.expr) -> Iterator[LiteralTest]:
        """`names.count("x")`, `Counter(names).get("x")`, `TABLE.get(name)`."""
        owner = self.values.kind(self.function, called.value)
        if called.attr in (*_COUNTS, "get") and owner and isinstance(first, ast.Constant):
            yield from self._test(node, owner, [first.value], within=True)
        elif called.attr == "get":
            yield from self._in_table(node, called.value, first)

    def _looked_up(self, node: ast.Subscript, owner: ast.expr, place: ast.expr) -> Iterator[LiteralTest]:
        """`Counter(names)["x"]`, `TABLE[name]`."""
        kind = self.values.kind(self.function, owner)
        if kind and isinstance(place, ast.Constant) and isinstance(place.value, str):
            yield from self._test(node, kind, [place.value], within=True)
        else:
            yield from self._in_table(node, owner, place)

    def _in_table(self, node: ast.expr, table: ast.expr, key: ast.expr) -> Iterator[LiteralTest]:
        kind, found = self.values.kind(self.function, key), self.value(table, None)
        if kind and not kind.depth and isinstance(found, Mapping):
            yield from self._test(node, kind, found)

    def _test(self, node: ast.AST, kind: Kind, literals: Any, within: bool = False) -> Iterator[LiteralTest]:
        plain = isinstance(literals, list | tuple | set | frozenset | Mapping) and len(literals) <= MOST_LITERALS
        found = tuple(one for one in literals if isinstance(one, str | int)) if plain else ()
        if found and kind.depth == int(within):
            yield LiteralTest(self.function, node, kind, found)

    def value(self, node: ast.expr, otherwise: Any = _NO_LITERAL) -> Any:
        """What is written in the code, or a name of it that the class or the module sets; else what is given."""
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, RecursionError):
            pass
        found = None
        if isinstance(node, ast.Name) and not self.function.is_local(node.id):
            found = self.function.named(node)
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in (
            "self",
            "cls",
            type(self.env).__name__,
        ):
            found = None if node.attr in getattr(self.env, "__dict__", {}) else on_class(type(self.env), node.attr)
        return otherwise if found is None else found


def literal_tests(env: Any, given: Given) -> list[LiteralTest]:
    """Every comparison of a value of a known kind with literals, in the code of an episode."""
    functions = episode_functions(env)
    values = TracedValues(env, functions, given)
    return [test for function in functions for test in _Reader(env, function, values).tests()]
