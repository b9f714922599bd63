"""Whether a square that the other player has taken is answered as a free one, where one's own is refused."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, play_scored
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.boards import Board, Cell, at_cell, boards_in, cells_of, is_free
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.games.line_games import own_marks
from grpo_env_sdk.checking.teaching.games.lines_over_taken import LineGame, game_of, names_squares, positions
from grpo_env_sdk.checking.teaching.games.naming_squares import Act, Put, ways_to_put
from grpo_env_sdk.late_patterns import regex

MOST_ROWS, FEWEST_ROWS, MOSTLY, MOST_TAKEN = 8, 3, 0.75, 3
"""On how many rows it is tried, on how few and which part it counts, and how many taken squares are tried."""
_KEEPS = regex(
    r"\b(?:empty|free|vacant|unoccupied|open|unclaimed|taken|occupied|noughts|gomoku)\b|tic[- ]?tac[- ]?toe",
    re.IGNORECASE,
)
"""What a prompt says where only a free square may be taken."""


@dataclass(frozen=True, slots=True)
class Position:
    """A row after some acts, and whose squares are whose."""

    row: int
    board: Board
    first: tuple[Cell, ...]
    own: tuple[Cell, ...]
    others: tuple[Cell, ...]

    @property
    def free(self) -> list[Cell]:
        """The squares that nobody has taken."""
        return [
            cell for cell in cells_of(self.board) if is_free(self.board, cell) and cell not in self.first + self.others
        ]


@dataclass(frozen=True, slots=True)
class Reply:
    """What an act is answered with, and whether the game goes on."""

    text: str
    goes_on: bool


Over = tuple[int, list[Act], str, str]
"""A row, the acts that take a square again, the reply to them, and that to an own square."""


def taken_by_reply(subject: Subject, rows: Sequence[int]) -> Iterator[Finding]:
    """The finding that squares of the other player are answered as free ones are, and one's own are not."""
    rows = [row for row in rows if _KEEPS.search(prompt_text(subject, row))][:MOST_ROWS]
    for put in ways_to_put(subject) if len(rows) >= FEWEST_ROWS else ():
        needed, found = max(FEWEST_ROWS, MOSTLY * len(rows)), list[Over]()
        for place, row in enumerate(rows, 1):
            over = [one for position in _positions(subject, row, put) if (one := _over(subject, position, put))]
            found += over[:1]
            if len(found) + len(rows) - place < needed:
                break
        if len(found) >= needed:
            yield _finding(found, len(rows))
            return


def _finding(found: Sequence[Over], of: int) -> Finding:
    row, acts, reply, refused = found[0]
    shown = turns_text([{"role": "assistant", "content": act} if isinstance(act, str) else act for act in acts])
    return Finding(
        f"A square that the other player has taken can be taken again, on {len(found)} of {of} rows: {shown} is "
        f"answered with {quoted(reply)}, as a free square is, and an own square with {quoted(refused)}.",
        "Refuse a square that is not free, or end the game as lost, as the rules say.",
        row, shown, reply, "a refusal, or the end of the game",
    )  # fmt: skip


def _positions(subject: Subject, row: int, put: Put) -> Iterator[Position]:
    """Positions of a row in which some squares are one's own, and some of the other player."""
    prompt = prompt_text(subject, row)
    boards, marks = boards_in(prompt), own_marks(prompt)
    if len(boards) == 1 and len({len(line) for line in boards[0]}) == 1:
        (board,) = boards
        taken = [cell for cell in cells_of(board) if not is_free(board, cell)]
        own = tuple(cell for cell in taken if at_cell(board, cell) in marks)
        if own and len({at_cell(board, cell) for cell in taken}) == 2:
            yield Position(row, board, (), own, tuple(cell for cell in taken if cell not in own))
    elif (game := game_of(prompt, row)) and not boards:
        yield from _after_one(subject, game, put)


def _after_one(subject: Subject, game: LineGame, put: Put) -> Iterator[Position]:
    for first, taken in positions(subject, game, put, names_squares(subject, [game], put)):
        yield Position(game.row, game.board, first, first, tuple(taken))


def _over(subject: Subject, one: Position, put: Put) -> Over | None:
    """The acts that take a square again, the reply to them, and that to an own square, which is refused.

    All own squares have to be refused and some free ones to be carried out, else squares may be named otherwise.
    """
    usual = [reply for cell in one.free if (reply := _reply(subject, one, put, cell))]
    forms = {_bare(reply.text) for reply in usual}
    went_on = {_bare(reply.text) for reply in usual if reply.goes_on} - {""}
    refused = [_reply(subject, one, put, cell) for cell in one.own[:MOST_TAKEN]] or [None]
    if sum(reply.goes_on for reply in usual) < 2 or len(went_on) > 1 + len(usual) // 2 or not all(refused):
        return None
    if any(map(SAYS_WRONG.search, went_on)) or any(reply is None or _bare(reply.text) in forms for reply in refused):
        return None
    for cell in one.others[:MOST_TAKEN]:
        reply = _reply(subject, one, put, cell)
        if reply and reply.goes_on and _bare(reply.text) in went_on:
            return one.row, _acts(one, put, cell), reply.text, refused[0].text if refused[0] else ""
    return None


def _acts(one: Position, put: Put, cell: Cell) -> list[Act]:
    return [put(*square, len(one.board[0])) for square in (*one.first, cell)]


def _reply(subject: Subject, one: Position, put: Put, cell: Cell) -> Reply | None:
    """What taking a square is answered with; None where that wins, or the game is over before it."""
    acts = _acts(one, put, cell)
    for episode in play_scored(subject, [(one.row, [*acts, ""])]):
        turns = len(own_turns(episode.completion))
        if turns > len(acts):
            return Reply(reply_to(episode, len(acts) - 1), True)
        if turns == len(acts) and not as_good_as_gold(subject, episode):
            return Reply((texts_of(episode.completion[episode.opening :]) or [""])[-1], False)
    return None


def _bare(reply: str) -> str:
    """A reply without numbers, names of squares, and what is drawn."""
    lines = [line for line in reply.splitlines() if re.search(r"[^\W\d_]{2}", line)]
    return re.sub(r"\b[A-Za-z]?\d+\b", "#", "\n".join(lines))
