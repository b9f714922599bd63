"""The rows of the dataset: different expressions, split by content."""

import hashlib
from random import Random
from typing import Any, Literal

from grpo_env_arithmetic.answer import RULES
from grpo_env_arithmetic.expressions import Expression, draw_expression
from grpo_env_arithmetic.shape import Shape

Split = Literal["train", "test"]
SIZES: dict[Split, int] = {"train": 2000, "test": 500}
FEWEST: dict[Split, int] = {"train": 4, "test": 1}
DRAWS = 25_000


def make_rows(shape: Shape, split: Split, seed: int) -> list[dict[str, Any]]:
    """The rows of one split, the same in every process; `3 + 4` and `4 + 3` are in the same split."""
    found = _draw_all(shape, seed)
    if any(len(found[each]) < FEWEST[each] for each in SIZES):
        count = sum(map(len, found.values()))
        raise ValueError(
            f"Too few different expressions to hold some out, of {shape}: {count}. "
            "Use more operators, more numbers or a greater depth."
        )
    return [_row(expression) for expression in found[split]]


def _draw_all(shape: Shape, seed: int) -> dict[Split, list[Expression]]:
    """Different expressions for both splits, until they are full or the draws are used up."""
    rng = Random(f"arithmetic/{seed}/{shape}")
    found: dict[Split, dict[str, Expression]] = {"train": {}, "test": {}}
    for _ in range(DRAWS):
        if all(len(found[split]) == size for split, size in SIZES.items()):
            break
        expression = draw_expression(rng, shape)
        if expression and len(found[split := _split_of(expression)]) < SIZES[split]:
            found[split].setdefault(expression.text, expression)
    return {split: list(expressions.values()) for split, expressions in found.items()}


def _split_of(expression: Expression) -> Split:
    """Every fifth is held out."""
    digest = hashlib.blake2b(expression.key.encode(), digest_size=4).digest()
    return "test" if int.from_bytes(digest) % 5 == 0 else "train"


def _row(expression: Expression) -> dict[str, Any]:
    asked = [
        {"role": "system", "content": RULES},
        {"role": "user", "content": f"What is {expression.text} ?"},
    ]
    return {"prompt": asked, "expression": expression.text, "answer": expression.value}
