"""Boards and maps that a text draws, line by line, one character a cell."""

import re
from collections.abc import Sequence
from itertools import pairwise, product

from grpo_env_sdk.late_patterns import regex

FEWEST_LINES, MOST_LINES, MOST_MARKS = 3, 30, 2
EMPTY = regex(r"[._\-·\d ]")
"""What a free square is drawn as: a sign that is no mark, or its number."""
IN_A_LINE = {"three": 3, "four": 4, "five": 5, "3": 3, "4": 4, "5": 5}
"""How prompts name how many in a line win."""
OF_THREE = regex(r"\btic[- ]?tac[- ]?toe\b|\bnoughts and crosses\b", re.IGNORECASE)
_RULED = regex(r"[-+=|\s]*")
Board = tuple[str, ...]
Cell = tuple[int, int]


def boards_in(text: str) -> list[Board]:
    """The boards that a text draws, in order; each line has one character for each cell."""
    found: list[Board] = []
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if (
            lines
            and "-" in line
            and _RULED.fullmatch(line)
            and "|" not in line.strip("|+-= ")
            and len(set(line.strip())) < 3
        ):
            continue  # a rule between two lines
        cells = _cells(line)
        if cells and lines and len(cells) != len(lines[-1]):
            found += _board(lines)
            lines = []
        if cells:
            lines.append(cells)
        elif lines:
            found += _board(lines)
            lines = []
    return found


def last_board(texts: Sequence[str]) -> Board | None:
    """The board that was drawn last."""
    return next((boards[-1] for text in reversed(texts) if (boards := boards_in(text))), None)


def cells_of(board: Board) -> list[Cell]:
    """The line and the column of each of its squares."""
    return list(product(range(len(board)), range(len(board[0]))))


def at_cell(board: Board, cell: Cell) -> str:
    """The sign on a square."""
    return board[cell[0]][cell[1]]


def is_free(board: Board, cell: Cell) -> bool:
    """Whether no mark is on a square."""
    return EMPTY.fullmatch(at_cell(board, cell)) is not None


def same_size(one: Board, other: Board) -> bool:
    """Whether two boards have squares in the same places."""
    return [len(line) for line in one] == [len(line) for line in other]


def _cells(line: str) -> str:
    """The cells of a line: its single characters between spaces or bars, or those of its only word."""
    bare = line.strip()
    if "|" in bare:
        inside = bare[1:-1] if bare[0] == bare[-1] == "|" else line
        parts = [part.strip() or "." for part in inside.split("|")]
        return "".join(parts) if all(len(part) == 1 for part in parts) else ""
    words = bare.split()
    if len(words) > 1 and all(len(word) == 1 for word in words):
        return "".join(words)
    whole = words[0] if len(words) == 1 and len(words[0]) >= FEWEST_LINES else ""
    return whole if not whole.isalpha() or _is_full(whole) else ""


def _is_full(word: str) -> bool:
    """Whether a word may be a line without a free square: the marks of two players, such as XXO."""
    return len(set(word)) <= MOST_MARKS and (word.isupper() or set(word) <= set("xo"))


def _board(lines: Sequence[str]) -> list[Board]:
    rows = list(lines)
    if len(rows) > FEWEST_LINES and _counts(rows[0]) and not all(map(_counts, rows)):
        rows = rows[1:]  # the numbers of the columns
    if (
        all(row[:1].isalnum() for row in rows)
        and _counts("".join(row[0] for row in rows))
        and len(rows[0]) > FEWEST_LINES
    ):
        rows = [row[1:] for row in rows]  # those of the lines
    return [tuple(rows)] if FEWEST_LINES <= len(rows) <= MOST_LINES else []


def _counts(text: str) -> bool:
    """Whether characters follow each other, as 1234 and abcd do."""
    codes = [ord(char) for char in text]
    return len(codes) > 1 and all(b - a == 1 for a, b in pairwise(codes)) and text[0] in "01aA"
