"""Whether a board keeps its rules: squares that are taken stay taken, and maps end at their edges."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.scripts import Script, Step, scripts_of
from grpo_env_sdk.checking.evidence.golds import less_than_gold, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.boards import (
    EMPTY,
    Board,
    Cell,
    at_cell,
    boards_in,
    cells_of,
    is_free,
    last_board,
    same_size,
)
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.games.lines_over_taken import lines_over_taken
from grpo_env_sdk.checking.teaching.games.naming_squares import Act, Put, ways_to_put
from grpo_env_sdk.checking.teaching.games.taken_by_reply import taken_by_reply
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_TAKEN, MOST_MAPS, TASTED = 6, 3, 24, 2
_OF_LINES = regex(
    r"\bin a (?:row|line)\b|\bnoughts\b|tic[- ]?tac[- ]?toe|\bfree\b|\bempty\b|\btaken\b|\boccupied\b|\bgomoku\b|"
    r"\bconnect\b",
    re.IGNORECASE,
)
_CAPTURES = regex(r"captur|flip|replace|overwrit|turns? over|jump", re.IGNORECASE)
_WRAPS = regex(r"\b(?:wraps?|torus|around the (?:edges?|world)|portals?|cylinder)\b", re.IGNORECASE)
_WAYS: dict[str, Cell] = {
    "u": (-1, 0), "d": (1, 0), "l": (0, -1), "r": (0, 1), "n": (-1, 0), "s": (1, 0), "w": (0, -1), "e": (0, 1),
    "up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1),
    "north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1),
}  # fmt: skip
_NAMES: tuple[dict[Cell, str], ...] = tuple(
    {_WAYS[name]: name for name in names.split()}
    for names in ("u d l r", "n s w e", "up down left right", "north south west east")
)
"""The names of the four directions that go together."""


@check("G584", kinds=("tools", "multi-turn"))
def taken_squares_stay_taken(subject: Subject) -> Iterator[Finding]:
    """A square of a board with the mark of the other player cannot be taken."""
    rows = [row for row in subject.sample(MOST_ROWS) if _is_board_game(prompt_text(subject, row))]
    if len(rows) < FEWEST_TAKEN:
        return
    for put in ways_to_put(subject):
        taken = [(row, turns) for row in rows[:TASTED] if (turns := _takes_over(subject, row, put))]
        taken += [(row, turns) for row in rows[TASTED:] if taken and (turns := _takes_over(subject, row, put))]
        if len(taken) >= FEWEST_TAKEN:
            row, turns = taken[0]
            (episode,) = play_answers(subject, [(row, turns)])
            shown = turns_text(own_turns(episode.completion)[: len(turns)])
            yield Finding(
                f"A square that the other player has taken can be taken again, on {len(taken)} of {len(rows)} rows: "
                f"{shown} puts a mark over another, and is not refused.",
                "Refuse a square that is not free, or end the game as lost, as the rules say.",
                row, shown, _texts_after(episode)[len(turns) - 1], "a refusal, or the end of the game",
            )  # fmt: skip
            return
    found = list(lines_over_taken(subject, rows))
    yield from found or taken_by_reply(subject, rows)


def _is_board_game(prompt: str) -> bool:
    return bool(_OF_LINES.search(prompt)) and not _CAPTURES.search(prompt)


def _takes_over(subject: Subject, row: int, put: Put) -> list[Act]:
    """The acts that put a mark over one of the other player; nothing where that is refused."""
    before = last_board([prompt_text(subject, row)])
    if before is None:
        return []
    free = [cell for cell in cells_of(before) if is_free(before, cell)]
    for cell in free[:2]:
        first = put(*cell, len(before[0]))
        after = board_after(subject, row, [first])
        mark = at_cell(after, cell) if after and same_size(before, after) else ""
        if not mark or EMPTY.fullmatch(mark):
            continue
        others = [one for one in cells_of(after) if at_cell(after, one) != mark and not is_free(after, one)]
        for other in others[:2]:
            acts = [first, put(*other, len(before[0]))]
            board = board_after(subject, row, acts)
            if board and same_size(before, board) and at_cell(board, other) == mark:
                return acts
    return []


def board_after(subject: Subject, row: int, acts: Sequence[Act]) -> Board:
    """The board after these acts; empty where there is none, or the last act was refused or ended the game as lost."""
    (episode,) = play_answers(subject, [(row, list(acts))]) or (None,)
    said = _texts_after(episode)[: len(acts)] if episode and not episode.error else []
    board = last_board(said[-1:])
    return board if board is not None and len(said) >= len(acts) and not SAYS_WRONG.search(said[-1]) else ()


def _texts_after(episode: Episode) -> list[str]:
    """What was replied to each act."""
    return texts_of([one for one in episode.completion if one["role"] != "assistant"])


@check("G585", needs=("gold",))
def maps_end_at_their_edges(subject: Subject) -> Iterator[Finding]:
    """A way that leaves the map on one side and comes back on the other scores less than gold."""
    known = [(one, place) for one in scripts_of(subject)[:60] if (place := _start_of(subject, one))]
    if len(known) < FEWEST_ROWS or any(_WRAPS.search(prompt_text(subject, one.gold.row)) for one, _ in known[:8]):
        return
    free = {at_cell(board, cell) for one, (board, start) in known for cell in _walked(one, start)}
    moves = _moves(step for one, _ in known for step in one.steps)
    tried = [
        (one, way) for one, (board, start) in known if (way := _around(board, start, free, one, moves))
    ][:MOST_MAPS]  # fmt: skip
    answers: list[tuple[int, Completion]] = [(one.gold.row, way) for one, way in tried]
    played = [one for one in play_answers(subject, answers) if not one.error]
    won = won_of(subject, played)
    if len({one.row_index for one in won}) >= min(FEWEST_ROWS, max(2, len(tried))):
        answer = turns_text(own_turns(won[0].completion))
        yield Finding(
            f"A way that leaves the map on one side and comes back on the other scores as much as gold on {len(won)} "
            f"of {len(tried)} rows that have one: {quoted(answer, 120)}.",
            "Check both coordinates against 0 and the size before the cell is looked at: negative indexes wrap around.",
            won[0].row_index, answer, won[0].reward, less_than_gold(subject, won[0]),
        )  # fmt: skip


def _way(text: str) -> Cell | None:
    """The direction that an act names."""
    ways = [_WAYS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _WAYS]
    return ways[0] if len(ways) == 1 else None


def _moves(steps: Iterable[Step]) -> dict[Cell, Step]:
    """How gold steps in each direction, and how it would in those in which it never goes."""
    moves = {move: step for step in steps if (move := _way(f"{step.verb} {step.object}"))}
    for move, step in list(moves.items()):
        names = next(names for names in _NAMES if _named(step, names[move]))
        for other in names:
            moves.setdefault(other, _turned(step, names[move], names[other]))
    return moves


def _named(step: Step, name: str) -> bool:
    return name in re.findall(r"[a-z]+", f"{step.verb} {step.object}".lower())


def _turned(step: Step, name: str, other: str) -> Step:
    """The same step with the name of another direction, as a text or as an argument of its call."""

    def turned(text: str) -> str:
        return re.sub(rf"\b{name}\b", lambda found: _cased(other, found[0]), text, flags=re.IGNORECASE)

    written: Act = turned(step.written) if isinstance(step.written, str) else deepcopy(step.written)
    for call in [] if isinstance(written, str) else written.get("tool_calls") or []:
        given = call["function"]["arguments"]
        given |= {key: turned(value) for key, value in given.items() if isinstance(value, str)}
    return Step(turned(step.verb), turned(step.object), written)


def _cased(word: str, like: str) -> str:
    return word.upper() if like.isupper() else word.title() if like.istitle() else word


def _start_of(subject: Subject, script: Script) -> tuple[Board, Cell] | None:
    """The map of a row and where gold begins, if there is one place only from which gold ends at another sign.

    Else gold goes from one corner to the opposite one, as no other place leaves it room.
    """
    moves = [_way(f"{step.verb} {step.object}") for step in script.steps]
    boards = boards_in(prompt_text(subject, script.gold.row))
    if len(boards) != 1 or len([move for move in moves if move]) < max(2, len(moves) - 2):
        return None
    board = boards[0]
    signs = [cell for cell in cells_of(board) if sum(line.count(at_cell(board, cell)) for line in board) == 1]
    found = []
    for start in signs:
        places = _walked(script, start)
        inside = all(0 <= line < len(board) and 0 <= column < len(board[0]) for line, column in places)
        if inside and places[-1] in signs and places[-1] != start:
            found.append(start)
    if not found and (corner := _corner(board, script)):
        found.append(corner)
    return (board, found[0]) if len(found) == 1 else None


def _corner(board: Board, script: Script) -> Cell | None:
    """The corner from which gold goes to the opposite one, along one sign only."""
    line, column = _walked(script, (0, 0))[-1]
    if (abs(line), abs(column)) != (len(board) - 1, len(board[0]) - 1):
        return None
    start = (max(0, -line), max(0, -column))
    places = _walked(script, start)
    inside = all(0 <= line < len(board) and 0 <= column < len(board[0]) for line, column in places)
    return start if inside and len({at_cell(board, place) for place in places}) == 1 else None


def _walked(script: Script, start: Cell) -> list[Cell]:
    """The cells of gold's way."""
    places = [start]
    for step in script.steps:
        if move := _way(f"{step.verb} {step.object}"):
            places.append((places[-1][0] + move[0], places[-1][1] + move[1]))
    return places


def _around(board: Board, start: Cell, free: set[str], script: Script, moves: Mapping[Cell, Step]) -> Completion | None:
    """The shortest way to gold's goal over an edge of the map, written as gold is; None where gold is shorter."""
    goal = _walked(script, start)[-1]
    height, width = len(board), len(board[0])
    waiting: deque[tuple[Cell, tuple[Cell, ...]]] = deque([(start, ())])
    seen = {start}
    while waiting:
        place, way = waiting.popleft()
        if len(way) > len(script.steps):
            return None
        if (place[0] % height, place[1] % width) == goal and place != goal:
            end = [step for step in script.steps[-1:] if not _way(f"{step.verb} {step.object}")]
            return script.write([*(moves[move] for move in way), *end])
        for move in moves:
            there = (place[0] + move[0], place[1] + move[1])
            inside = -height <= there[0] < height and -width <= there[1] < width
            if inside and there not in seen and at_cell(board, (there[0] % height, there[1] % width)) in free:
                seen.add(there)
                waiting.append((there, (*way, move)))
    return None
