"""An expression: its text, its value, and how a random one is drawn."""

from dataclasses import dataclass
from random import Random

from grpo_env_arithmetic.shape import Operator, Shape

LARGEST = 10**9
"""The largest value of any part of an expression, so that every answer is exact as a float too."""

_BINDS: dict[Operator, int] = {"+": 1, "-": 1, "*": 2, "/": 2}
_TRIES = 8
"""How often the operands of a division are drawn to find a whole result."""


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression with its value; `key` is the same for `3 + 4` and `4 + 3`."""

    text: str
    value: int
    key: str
    binds: int


def number(value: int) -> Expression:
    """A number; a negative one is in parentheses."""
    text = str(value) if value >= 0 else f"({value})"
    return Expression(text, value, text, 3)


def combine(operator: Operator, left: Expression, right: Expression) -> Expression | None:
    """Two expressions combined; None if the value is not a whole number, or too large."""
    value = _apply(operator, left.value, right.value)
    if value is None or abs(value) > LARGEST:
        return None
    binds = _BINDS[operator]
    before = left.text if left.binds >= binds else f"({left.text})"
    after = right.text if right.binds > binds else f"({right.text})"
    keys = sorted((left.key, right.key)) if operator in "+*" else [left.key, right.key]
    return Expression(f"{before} {operator} {after}", value, f"({operator.join(keys)})", binds)


def draw_expression(rng: Random, shape: Shape) -> Expression | None:
    """A random expression of this shape; None if none with a whole value was found."""
    return _draw(rng, shape, shape.depth)


def _draw(rng: Random, shape: Shape, depth: int) -> Expression | None:
    """One operand has the full depth, the other a random depth."""
    if depth == 0:
        return number(rng.randint(shape.low, shape.high))
    operator = rng.choice(shape.operators)
    for _ in range(_TRIES if operator == "/" else 1):
        left, right = _draw(rng, shape, depth - 1), _draw(rng, shape, rng.randrange(depth))
        if left is None or right is None:
            return None
        if rng.random() < 0.5:
            left, right = right, left
        if made := combine(operator, left, right):
            return made
    return None


def _apply(operator: Operator, left: int, right: int) -> int | None:
    if operator == "/":
        return left // right if right and left % right == 0 else None
    return {"+": left + right, "-": left - right, "*": left * right}[operator]
