"""Whether each move that wins at once is right, where the prompt says that any of them is."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, golds
from grpo_env_sdk.checking.evidence.prompts.boards import (
    IN_A_LINE,
    OF_THREE,
    Board,
    Cell,
    at_cell,
    boards_in,
    cells_of,
    is_free,
)
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.games.as_good_refused import MOSTLY, as_good_refused
from grpo_env_sdk.late_patterns import regex

MOST_ROWS, FEWEST_BOARDS, CHANCE = 40, 6, 0.001
_DROPS = regex(r"\bconnect(?:[ -]?(?:four|4)\b|4\b)|\bfour in a (?:row|line)\b[^.\n]*\b(?:drop|fall)", re.IGNORECASE)
_COUNT = regex(r"\b(three|four|five|[345])[- ]in[- ]an?[- ](?:row|line)\b", re.IGNORECASE)
_MARK = regex(
    r"\b([A-Za-z]) (?:is )?to (?:move|play)\b|"
    r"\b(?i:you (?:are|play(?: as| with)?|have|use)|your mark is|wins? for|in which|with which) "
    r"['\"`]?([A-Za-z])['\"`]?(?!\w)"
)
_ANY = regex(
    r"\bany (?:of (?:them|these|those)|one|such|winning|(?:column|square|move|cell)s?)\b|\bwhichever\b", re.IGNORECASE
)
_ONE_OF_THEM = regex(
    r"\b(?:first|left-?most|right-?most|lowest|smallest|highest|top-?most|nearest|best|misère|misere|avoid|"
    r"all (?:of them|winning))\b",
    re.IGNORECASE,
)
"""What a prompt says where one of them is right, or all of them together."""
Naming = Callable[[Cell, int], str]
_OF_COLUMNS: tuple[Naming, ...] = (
    lambda cell, width: str(cell[1] + 1),
    lambda cell, width: str(cell[1]),
    lambda cell, width: "abcdefghijklmnopqrst"[cell[1]],
    lambda cell, width: "ABCDEFGHIJKLMNOPQRST"[cell[1]],
)
_OF_SQUARES: tuple[Naming, ...] = (
    lambda cell, width: str(cell[0] * width + cell[1] + 1),
    lambda cell, width: str(cell[0] * width + cell[1]),
    lambda cell, width: f"{cell[0] + 1} {cell[1] + 1}",
    lambda cell, width: f"{cell[0]} {cell[1]}",
    lambda cell, width: f"{cell[0] + 1},{cell[1] + 1}",
    lambda cell, width: f"{cell[0] + 1}, {cell[1] + 1}",
    lambda cell, width: f"{'abcdefghijklmnopqrst'[cell[1]]}{cell[0] + 1}",
    lambda cell, width: f"{'ABCDEFGHIJKLMNOPQRST'[cell[0]]}{cell[1] + 1}",
)


@dataclass(frozen=True, slots=True)
class Position:
    """A row with its board, what gold says without the words that all say, and the moves that win."""

    gold: Gold
    said: str
    board: Board
    drops: bool
    wins: tuple[Cell, ...]
    moves: int


@check("G661", kinds=("single-turn",), needs=("gold",))
def any_winning_move_is_right(subject: Subject) -> Iterator[Finding]:
    """Each move that wins a game of lines at once is right, where the prompt says so."""
    known = [gold for gold in golds(subject).values() if gold.text][:MOST_ROWS]
    form = form_of([gold.text for gold in known])
    found = [one for gold in known if (one := _position(subject, gold, without_form(gold.text, form)))]
    naming = _naming(found) if len(found) >= max(FEWEST_BOARDS, MOSTLY * len(known)) else None
    if naming is None:
        return
    answers: list[tuple[int, Completion]] = [
        (one.gold.row, f"{form[0]}{name}{form[1]}") for one in found for name in _names(one, naming) if name != one.said
    ]
    yield from as_good_refused(
        subject, answers, "Moves that win as gold's does are",
        "Compare with all moves that win, or play the move and see whether the game is won.",
        why=", although the prompt says that any of them is",
    )  # fmt: skip


def _position(subject: Subject, gold: Gold, said: str) -> Position | None:
    """The position of a row; None where it is no such game, or one move alone is asked for."""
    prompt = prompt_text(subject, gold.row)
    boards = [board for board in boards_in(prompt) if len({len(line) for line in board}) == 1]
    marks = {one or two for one, two in _MARK.findall(prompt)}
    drops = _DROPS.search(prompt) is not None
    counts = {IN_A_LINE[one.casefold()] for one in _COUNT.findall(prompt)}
    counts |= {4} if drops else {3} if OF_THREE.search(prompt) else set()
    if len(boards) != 1 or len(counts) != 1 or not _ANY.search(prompt) or _ONE_OF_THEM.search(prompt):
        return None
    (board,), (count,) = boards, counts
    marks &= {at_cell(board, cell) for cell in cells_of(board)}
    if len(marks) != 1:
        return None
    (mark,) = marks
    free = [cell for cell in cells_of(board) if is_free(board, cell)]
    moves = [cell for cell in free if not drops or not _is_free_below(board, cell)]
    wins = tuple(cell for cell in moves if _wins(board, cell, mark, count))
    return Position(gold, said.strip(), board, drops, wins, len(moves)) if wins else None


def _is_free_below(board: Board, cell: Cell) -> bool:
    return cell[0] + 1 < len(board) and is_free(board, (cell[0] + 1, cell[1]))


def _wins(board: Board, cell: Cell, mark: str, count: int) -> bool:
    """Whether a mark on a square completes a line of so many."""

    def run(down: int, right: int) -> int:
        steps = 0
        line, column = cell[0] + down, cell[1] + right
        while 0 <= line < len(board) and 0 <= column < len(board[0]) and board[line][column] == mark:
            steps, line, column = steps + 1, line + down, column + right
        return steps

    return any(run(down, right) + run(-down, -right) + 1 >= count for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)))


def _names(position: Position, naming: Naming) -> list[str]:
    return list(dict.fromkeys(naming(cell, len(position.board[0])) for cell in position.wins))


def _naming(found: Sequence[Position]) -> Naming | None:
    """How moves are named, so that gold names one that wins on every row, which would be no chance."""
    if prod(len(one.wins) / one.moves for one in found) > CHANCE:
        return None
    ways = _OF_COLUMNS if all(one.drops for one in found) else _OF_SQUARES
    return next((way for way in ways if all(one.said in _names(one, way) for one in found)), None)
