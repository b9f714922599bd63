"""Games in which given numbers are combined to reach a target: whether they can be, and how."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from grpo_env_sdk.late_patterns import regex

FEWEST, MOST = 3, 5
"""How many numbers a game has whose every expression is tried."""
_LIST = regex(r"(?<![\w.])\d+(?:(?:, ?(?:and )?|; ?| and | )\d+){2,}(?![\w.]*\d)")
_TARGET = regex(
    r"\b(?:target|goal|equals?|equal to|makes?|reach(?:es)?|gets?|obtain|gives?|value|ziel|zielzahl|cible|objetivo)\b"
    r"[^\d\n.!?]{0,25}?(\d+)(?![\w.]*\d)",
    re.IGNORECASE,
)
_ALL = regex(r"\b(?:each|every|all|alle|jede|chaque|tous|todos|cada)\b", re.IGNORECASE)
_SOME = regex(r"\b(?:may|can|could|at most|up to|or fewer|need not|some|only)\b", re.IGNORECASE)
_MORE = regex(
    r"\b(?:power|exponent\w*|factorial|concat\w*|glue|square root|sqrt|modulo|remainder|floor|round\w*|any operation|"
    r"impossible|not possible|cannot|can't|no solution|unsolvable|closest|nearest|close)\b|\*\*|\^|//|%",
    re.IGNORECASE,
)
"""Words of games with other operations, and of those that need not be won."""


@dataclass(frozen=True, slots=True)
class TargetGame:
    """The numbers of a game, its target, and whether all of the numbers have to be used."""

    numbers: tuple[int, ...]
    target: int
    uses_all: bool


def game_in(prompt: str) -> TargetGame | None:
    """The game that a prompt asks for with the four usual operations."""
    if _MORE.search(prompt):
        return None
    lists = _LIST.findall(prompt)
    targets = set(_TARGET.findall(_LIST.sub("; ", prompt)))
    numbers = tuple(map(int, re.findall(r"\d+", lists[0]))) if len(lists) == 1 else ()
    if not FEWEST <= len(numbers) <= MOST or len(targets) != 1:
        return None
    sentences = re.split(r"[.!?\n]", prompt)
    uses_all = any(_ALL.search(sentence) and not _SOME.search(sentence) for sentence in sentences)
    return TargetGame(numbers, int(targets.pop()), uses_all)


@lru_cache(maxsize=2_048)
def solution_of(game: TargetGame) -> str | None:
    """An expression for the target, of all numbers where there is one; None where there is none."""
    reached: dict[int, dict[Fraction, str]] = {
        1 << place: {Fraction(number): str(number)} for place, number in enumerate(game.numbers)
    }
    whole = (1 << len(game.numbers)) - 1
    for chosen in sorted(range(1, whole + 1), key=int.bit_count):
        if chosen not in reached:
            reached[chosen] = dict(_combined(chosen, reached))
    using = [whole] if game.uses_all else sorted(reached, key=int.bit_count, reverse=True)
    return next((reached[chosen][Fraction(game.target)] for chosen in using if game.target in reached[chosen]), None)


def _combined(chosen: int, reached: dict[int, dict[Fraction, str]]) -> Iterator[tuple[Fraction, str]]:
    """Each value of some of the numbers with an expression for it."""
    part = (chosen - 1) & chosen
    while part:
        rest = chosen ^ part
        for one, left in reached[part].items():
            for other, right in reached[rest].items():
                yield one - other, f"({left} - {right})"
                if part < rest:
                    yield one + other, f"({left} + {right})"
                    yield one * other, f"({left} * {right})"
                if other:
                    yield one / other, f"({left} / {right})"
        part = (part - 1) & chosen
