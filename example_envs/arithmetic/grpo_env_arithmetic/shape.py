"""The shape of expressions, from the config."""

from dataclasses import dataclass
from typing import Literal, get_args

Operator = Literal["+", "-", "*", "/"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)

DEEPEST = 5
FARTHEST = 1000


@dataclass(frozen=True, slots=True)
class Shape:
    """How deep operations are nested, which are used, and the smallest and largest number."""

    depth: int
    operators: tuple[Operator, ...]
    low: int
    high: int

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= DEEPEST:
            raise ValueError(f"depth is {self.depth}; it can be 1 to {DEEPEST}.")
        unknown = [operator for operator in self.operators if operator not in OPERATORS]
        if unknown or not self.operators:
            told = f"operators is {list(self.operators)}"
            raise ValueError(f"{told}; it can be some of {', '.join(OPERATORS)}.")
        if not -FARTHEST <= self.low <= self.high <= FARTHEST:
            raise ValueError(
                f"low is {self.low} and high is {self.high}; "
                f"they can be from -{FARTHEST} to {FARTHEST}, low not above high."
            )

    def __str__(self) -> str:
        return f"depth {self.depth}, {' '.join(self.operators)}, numbers from {self.low} to {self.high}"
