"""The steps of which a function consists: what it keeps of a list, how it changes that, what it returns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Step:
    """A step in words, and as a Python expression over `x` (one number) or `items` (a list of numbers)."""

    words: str
    code: str


@dataclass(frozen=True, slots=True)
class Task:
    """A function of a list of whole numbers, in three steps."""

    keep: Step
    change: Step
    give: Step

    @property
    def words(self) -> str:
        """The task as the prompt asks for it."""
        return f"Take {self.keep.words}. {self.change.words}. Return {self.give.words}."

    @property
    def code(self) -> str:
        """The function."""
        return (
            "def solution(numbers):\n"
            f"    items = [{self.change.code} for x in numbers if {self.keep.code}]\n"
            f"    return {self.give.code}\n"
        )

    @property
    def function(self) -> Callable[[list[int]], Any]:
        """The function, to call it."""
        namespace: dict[str, Any] = {}
        exec(self.code, namespace)
        function: Callable[[list[int]], Any] = namespace["solution"]
        return function


KEEP = (
    *(Step(f"the numbers above {k}", f"x > {k}") for k in (-5, 0, 3, 8)),
    *(Step(f"the numbers below {k}", f"x < {k}") for k in (-2, 0, 6)),
    *(Step(f"the multiples of {k}", f"x % {k} == 0") for k in (2, 3, 5)),
    Step("the odd numbers", "x % 2 == 1"),
    Step("the numbers from -4 to 4", "-4 <= x <= 4"),
)
CHANGE = (
    *(Step(f"Multiply each by {k}", f"x * {k}") for k in (2, 3, -1)),
    *(Step(f"Add {k} to each", f"x + {k}") for k in (1, 7, 10)),
    Step("Square each", "x * x"),
    Step("Replace each with its absolute value", "abs(x)"),
    Step("Replace each with its remainder after division by 7", "x % 7"),
    Step("Subtract each from 100", "100 - x"),
)
GIVE = (
    Step("their sum", "sum(items)"),
    Step("the largest, or None if there is none", "max(items, default=None)"),
    Step("the smallest, or None if there is none", "min(items, default=None)"),
    Step("them in ascending order", "sorted(items)"),
    Step("them in reverse order", "items[::-1]"),
    Step("them without repetitions, in ascending order", "sorted(set(items))"),
    Step("the number of different values", "len(set(items))"),
    Step("the last two of them", "items[-2:]"),
    Step("the sum of the first three", "sum(items[:3])"),
)
