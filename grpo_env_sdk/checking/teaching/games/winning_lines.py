"""Whether every line of a board that completes a game of so many in a row wins it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds, play_scored, reward_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.boards import (
    EMPTY,
    Board,
    Cell,
    at_cell,
    boards_in,
    cells_of,
    is_free,
    same_size,
)
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import acts_of, said_or_called
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.searching.alphabet import name_of_act
from grpo_env_sdk.checking.teaching.games.board_rules import board_after
from grpo_env_sdk.checking.teaching.games.line_games import WINS, Line, lines_of, own_marks, winning_count
from grpo_env_sdk.checking.teaching.games.naming_squares import Act, Put, ways_to_put
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, MOST_CASES, PLAYED_OUT, MOST_LINES, FEWEST_WON, FEWEST_LOST = 60, 60, 3, 12, 3, 2
"""On how many rows lines are looked for, how many are completed, on how many rows lines are played out where a board
has so many, and how many of them have to win, and one not to."""
_DIAGONALS = regex(r"\bdiagonal", re.IGNORECASE)
_OTHER_RULES = regex(
    r"\b(?:wraps?|torus|cylinder|corners?|mis[èe]re|avoid|without (?:a )?(?:line|diagonal)|no diagonals?|captur\w+|"
    r"except|not (?:count|win)|diagonals? (?:do|does)(?: not|n't)|whoever .{0,40} loses|"
    r"only (?:rows|columns|horizontal\w*|vertical\w*|across|down)|"
    r"(?:loses?|lost) (?:who|if|when|with)|both|either|most lines|points? for)\b",
    re.IGNORECASE,
)
"""Words of games in which lines count otherwise, or something else does."""


@dataclass(frozen=True, slots=True)
class Game:
    """A row with its board, the mark of the model, and how many in a line win."""

    row: int
    board: Board
    mark: str
    count: int


@dataclass(frozen=True, slots=True)
class Completed:
    """The lines that the last of some acts completed, and whether the game was won by it."""

    row: int
    lines: tuple[Line, ...]
    episode: Episode
    won: bool


@check("G641", kinds=("tools", "multi-turn"), needs=("gold",))
def every_line_of_a_board_wins(subject: Subject) -> Iterator[Finding]:
    """So many in a row win in every row, column and diagonal of a board, where they win in others."""
    games = [game for row in subject.sample(MOST_ROWS) if (game := _game(subject, row))]
    put = _put(subject, games) if len(games) >= FEWEST_WON else None
    if put is None:
        return
    seen = _immediate(subject, games, put)
    seen += [one for game in games[:PLAYED_OUT] for one in _played_out(subject, game, put)]
    for line in dict.fromkeys(line for one in seen for line in one.lines):
        of_line = [one for one in seen if one.lines == (line,)]
        others = {one.lines[0] for one in seen if one.won and line not in one.lines}
        slanted = any(one.won and len(one.lines) == 1 and _is_slanted(one.lines[0]) for one in seen)
        told = _DIAGONALS.search(prompt_text(subject, games[0].row))
        lost = {one.row for one in of_line if not one.won}
        if len(lost) < FEWEST_LOST or len(others) < FEWEST_WON or any(one.won for one in of_line):
            continue
        if told or slanted or not _is_slanted(line):
            yield _finding(games[0].board, line, of_line, len(others))
            return


def _finding(board: Board, line: Line, lost: Sequence[Completed], others: int) -> Finding:
    episode = lost[0].episode
    turns = [turn for turn in own_turns(episode.completion) if turn.get("content") or turn.get("tool_calls")]
    names = "-".join(str(row * len(board[0]) + column + 1) for row, column in line)
    return Finding(
        f"A line of the board does not win: squares {names} (counted row by row from 1) were completed on "
        f"{len({one.row for one in lost})} rows, and not once was the game won, while {others} other lines won it: "
        f"{turns_text(turns)} scores {episode.reward:g}.",
        "Compute the lines from the size of the board, or check the list of them.",
        lost[0].row, turns, episode.reward, "the reward of a game that is won",
    )  # fmt: skip


def _game(subject: Subject, row: int) -> Game | None:
    """The game of a row; None where it is no such game, it has rules of its own, or somebody has won already."""
    prompt = prompt_text(subject, row)
    count = winning_count(prompt)
    boards = boards_in(prompt)
    marks = own_marks(prompt)
    if not count or len(boards) != 1 or len(marks) != 1 or _OTHER_RULES.search(prompt):
        return None
    game = Game(row, boards[0], marks.pop(), count)
    signs = {at_cell(game.board, cell) for cell in cells_of(game.board)}
    over = any(
        len(set(_signs(game.board, line))) == 1 and not is_free(game.board, line[0])
        for line in lines_of(game.board, game.count)
    )
    known = game.mark in signs or all(EMPTY.fullmatch(sign) for sign in signs) or game.mark in "xXoO"
    return game if known and not over and len({len(line) for line in game.board}) == 1 else None


def _signs(board: Board, line: Line) -> list[str]:
    return [at_cell(board, cell) for cell in line]


def _is_slanted(line: Line) -> bool:
    return line[0][0] != line[1][0] and line[0][1] != line[1][1]


def _completing(game: Game, board: Board) -> dict[Cell, list[Line]]:
    """The free squares that complete lines of the model, and these."""
    found: dict[Cell, list[Line]] = {}
    for line in lines_of(game.board, game.count):
        free = [cell for cell in line if is_free(board, cell)]
        if len(free) == 1 and _signs(board, line).count(game.mark) == game.count - 1:
            found.setdefault(free[0], []).append(line)
    return found


def _put(subject: Subject, games: Sequence[Game]) -> Put | None:
    """How a square is named: as gold does where it completes a line, or so that a reply shows the mark there."""
    ways = list(ways_to_put(subject))
    first = [(game, _said_by_gold(subject, game.row), _completing(game, game.board)) for game in games]
    for put in ways:
        of_gold = [
            game for game, said, cells in first
            if name_of_act(said) in [name_of_act(put(*cell, len(game.board[0]))) for cell in cells]
        ]  # fmt: skip
        if len(of_gold) >= FEWEST_WON:
            return put
    return next((put for put in ways if all(_is_shown(subject, game, put) for game in games[:2])), None)


def _said_by_gold(subject: Subject, row: int) -> Act:
    """What gold says or calls first; nothing where it scores low itself."""
    gold = golds(subject).get(row)
    (first,) = acts_of(gold)[:1] if gold else [{}]
    return said_or_called(first)


def _is_shown(subject: Subject, game: Game, put: Put) -> bool:
    """Whether a reply shows the mark on the square that was named."""
    free = [
        cell for cell in cells_of(game.board) if is_free(game.board, cell) and cell not in _completing(game, game.board)
    ]
    cell = free[len(free) // 2] if free else (0, 0)
    after = board_after(subject, game.row, [put(*cell, len(game.board[0]))]) if free else ()
    return bool(after) and same_size(game.board, after) and at_cell(after, cell) == game.mark


def _immediate(subject: Subject, games: Sequence[Game], put: Put) -> list[Completed]:
    """The lines that one act completes."""
    cases = [(game, cell, lines) for game in games for cell, lines in _completing(game, game.board).items()][
        :MOST_CASES
    ]
    acts: list[tuple[Game, list[Act], list[Line]]] = [
        (game, [put(*cell, len(game.board[0]))], lines) for game, cell, lines in cases
    ]
    return [one for game, turns, lines in acts if (one := _completed(subject, game, turns, lines))]


def _played_out(subject: Subject, game: Game, put: Put) -> Iterator[Completed]:
    """The lines that are completed square by square, where the other player leaves them free."""
    lines = list(lines_of(game.board, game.count))
    for line in lines if len(lines) <= MOST_LINES else ():
        if all(is_free(game.board, cell) or at_cell(game.board, cell) == game.mark for cell in line):
            for ordered in (line, line[1:] + line[:1]):
                missing = [cell for cell in ordered if is_free(game.board, cell)]
                acts = [put(*cell, len(game.board[0])) for cell in missing]
                before = board_after(subject, game.row, acts[:-1]) if len(acts) > 1 else ()
                done = (
                    _completing(game, before).get(missing[-1], []) if before and same_size(before, game.board) else []
                )
                if line in done and (one := _completed(subject, game, acts, done)):
                    yield one
                    break


def _completed(subject: Subject, game: Game, acts: list[Act], lines: Sequence[Line]) -> Completed | None:
    best = max(gold.reward for gold in golds(subject).values())
    for episode in play_scored(subject, [(game.row, acts)]):
        return Completed(game.row, tuple(lines), episode, reward_of(episode) >= WINS * best)
    return None
