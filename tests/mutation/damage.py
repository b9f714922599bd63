"""Kinds of damage to source: each says what could be written in the place of a node."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

Damage = Callable[[ast.AST], Iterator[str]]
"""Every text that would damage this node in this way."""

NEGATED = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
MOVED = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
OTHER_OPERATOR = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.Mod: "//", ast.FloorDiv: "*"}
OTHER_COLUMN = {
    "price": "distance", "distance": "price", "stars": "rooms", "rooms": "stars", "city": "id", "id": "city",
    "min_stars": "nights", "max_distance": "max_price", "max_price": "max_distance", "other_city": "city",
}  # fmt: skip
REWARDS = {"constraints_met", "best_choice", "nights_right", "answer_names_booking", "efficiency"}
TOOLS = {"search_hotels", "hotel_details", "book_room", "cancel_booking"}


@dataclass(frozen=True)
class Mutant:
    """One piece of damage: of which kind, in which file, from where to where, and what stands there instead."""

    kind: str
    file: str
    start: int
    end: int
    text: str

    def applied(self, source: str) -> str:
        return source[: self.start] + self.text + source[self.end :]


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of one file."""
    source = path.read_text(encoding="utf-8")
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    tree = ast.parse(source)
    for function in ast.walk(tree):
        for child in ast.iter_child_nodes(function):
            child.parent = function  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        for kind, damage in DAMAGES.items():
            for text in damage(node):
                start, end = lines[node.lineno - 1] + node.col_offset, lines[node.end_lineno - 1] + node.end_col_offset
                if text != source[start:end]:
                    yield Mutant(kind, path.name, start, end, text)


def _inside(node: ast.AST) -> str:
    """The name of the function that a node stands in."""
    while not isinstance(node, ast.FunctionDef):
        if not hasattr(node, "parent"):
            return ""
        node = node.parent
    return node.name


def _comparison(operators: dict[type, str]) -> Damage:
    def damage(node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Compare) and type(node.ops[-1]) in operators:
            kept = ast.unparse(ast.Compare(node.left, node.ops[:-1], node.comparators[:-1]))
            yield f"{kept} {operators[type(node.ops[-1])]} {ast.unparse(node.comparators[-1])}"

    return damage


def condition_negated(node: ast.AST) -> Iterator[str]:
    parent = getattr(node, "parent", None)
    if isinstance(node, ast.IfExp):
        yield ast.unparse(ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse))
    elif node in getattr(parent, "ifs", ()) or (isinstance(parent, ast.If) and node is parent.test):
        yield f"not ({ast.unparse(node)})"


def and_or_swapped(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"({ast.unparse(ast.BoolOp(other, node.values))})"


def number_off_by_one(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield f"({node.value + 1})"
        yield f"({node.value - 1})"


def other_operator(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.BinOp) and type(node.op) in OTHER_OPERATOR:
        yield f"({ast.unparse(node.left)} {OTHER_OPERATOR[type(node.op)]} {ast.unparse(node.right)})"


def assigned_for_added(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.AugAssign):
        yield f"{ast.unparse(node.target)} = {ast.unparse(node.value)}"


def constant_reward(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Return) and _inside(node) in REWARDS:
        yield from ("return 1.0", "return 0.0", "return 0.5")


def reward_out_of_range(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Return) and _inside(node) in REWARDS:
        yield f"return 2 * ({ast.unparse(node.value)})"
        yield f"return ({ast.unparse(node.value)}) - 0.5"


def noisy_reward(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Return) and _inside(node) in REWARDS:
        yield f"return ({ast.unparse(node.value)}) * __import__('random').uniform(0.9, 1)"


def returns_none(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Return) and node.value and not isinstance(node.value, ast.Constant):
        yield "return None"


def tool_result_changed(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Return) and _inside(node) in TOOLS:
        yield f"return str({ast.unparse(node.value)})"
        yield f"return {{'result': {ast.unparse(node.value)}}}"


def seed_dropped(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "Random":
        yield "Random()"
    elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "rng":
        yield f"__import__('random').{node.attr}"


def state_kept(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign) and _inside(node) == "setup":
        name = ast.unparse(node.targets[0]).removeprefix("self.")
        yield f"self.{name} = getattr(self, '{name}', None) or {ast.unparse(node.value)}"
    elif isinstance(node, ast.keyword) and node.arg == "default_factory":
        yield f"default_factory=lambda shared={ast.unparse(node.value)}(): shared"


def statement_dropped(node: ast.AST) -> Iterator[str]:
    docstring = isinstance(getattr(node, "value", None), ast.Constant)
    if isinstance(node, ast.If | ast.Raise) or (isinstance(node, ast.Expr) and not docstring):
        yield "pass"


def arguments_swapped(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and len(node.args) > 1:
        first, second, *others = node.args
        yield ast.unparse(ast.Call(node.func, [second, first, *others], node.keywords))


def wrong_key(node: ast.AST) -> Iterator[str]:
    parent = getattr(node, "parent", None)
    is_key = isinstance(parent, ast.Subscript) or (isinstance(parent, ast.Dict) and node in parent.keys)
    if is_key and isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield repr(f"{node.value}_")


def wrong_column(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and node.attr in OTHER_COLUMN:
        yield f"{ast.unparse(node.value)}.{OTHER_COLUMN[node.attr]}"


def order_reversed(node: ast.AST) -> Iterator[str]:
    name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    if name == "sorted":
        yield f"{ast.unparse(node)}[::-1]"
    elif name == "reversed":
        yield f"list({ast.unparse(node.args[0])})"


DAMAGES: dict[str, Damage] = {
    "comparison flipped": _comparison(NEGATED),
    "boundary off by one": _comparison(MOVED),
    "condition negated": condition_negated,
    "and for or": and_or_swapped,
    "number off by one": number_off_by_one,
    "other operator": other_operator,
    "= for +=": assigned_for_added,
    "constant reward": constant_reward,
    "reward out of range": reward_out_of_range,
    "noisy reward": noisy_reward,
    "None returned": returns_none,
    "tool result changed": tool_result_changed,
    "seed dropped": seed_dropped,
    "state kept": state_kept,
    "statement dropped": statement_dropped,
    "arguments swapped": arguments_swapped,
    "wrong key": wrong_key,
    "wrong column": wrong_column,
    "order reversed": order_reversed,
}
