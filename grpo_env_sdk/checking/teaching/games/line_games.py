"""Games of so many in a row: how many win, whose mark is whose, and the lines of a board."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.evidence.prompts.boards import IN_A_LINE, OF_THREE, Board, Cell, cells_of
from grpo_env_sdk.late_patterns import regex

WINS = 0.75
"""The part of the best reward of gold from which on a game is won."""
_IN_A_ROW = regex(
    rf"\b({'|'.join(IN_A_LINE)})(?:[- ]of (?:yours|your \w+|them)| \w+)?[- ]in[- ]an?[- ](?:\w+[- ])?(?:row|line)\b",
    re.IGNORECASE,
)
_MINE = regex(
    r"(?i:\b(?:you(?:'re| are| play(?: as| with)?| have| use| place| put| draw)|"
    r"your (?:mark|sign|symbol|piece|stone)s? (?:is|are)|as) (?:the )?)['\"`]?([A-Za-z#@*●○\u00d7])(?!\w)"
)
_WAYS: tuple[Cell, ...] = ((0, 1), (1, 0), (1, 1), (1, -1))
Line = tuple[Cell, ...]


def winning_count(prompt: str) -> int:
    """How many in a row win, as a prompt says; 0 where it says it of none, or of several numbers."""
    counts = {IN_A_LINE[one.casefold()] for one in _IN_A_ROW.findall(prompt)}
    counts = counts or ({3} if OF_THREE.search(prompt) else set())
    return counts.pop() if len(counts) == 1 else 0


def own_marks(prompt: str) -> set[str]:
    """The marks that a prompt says are the model's."""
    return set(_MINE.findall(prompt)) - {"a", "A"}


def lines_of(board: Board, count: int) -> Iterator[Line]:
    """Every line of so many squares on a board."""
    height, width = len(board), len(board[0])
    for down, right in _WAYS:
        for row, column in cells_of(board):
            line = tuple((row + down * step, column + right * step) for step in range(count))
            if all(0 <= one < height and 0 <= two < width for one, two in line):
                yield line
