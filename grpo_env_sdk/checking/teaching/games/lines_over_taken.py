"""Whether a line that leads over a square of the other player wins a game of so many in a row."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isqrt

from grpo_env_sdk.checking.evidence.golds import (
    Gold,
    as_good_as_gold,
    golds,
    play_compared,
    play_scored,
    reward_of,
    too_good,
)
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.boards import (
    OF_THREE,
    Board,
    Cell,
    at_cell,
    boards_in,
    cells_of,
    is_free,
    last_board,
    same_size,
)
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import acts_of
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.searching.alphabet import name_of_act
from grpo_env_sdk.checking.teaching.games.line_games import WINS, lines_of, own_marks, winning_count
from grpo_env_sdk.checking.teaching.games.naming_squares import Act, Put, ways_to_put
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_ROWS, TASTED, MOST_LINES, MOST_FIRST = 3, 2, 4, 2
"""On how many rows it has to win, on how many it is tried first, over how many lines, and after how many first acts."""
_SQUARES = regex(
    r"\b(?:squares?|cells?|fields?|spaces?|positions?|numbers?|numbered)[^.\n]{0,20}?\b1(?: to |-|\u2013)(9|16|25)\b"
)
_SIZE = regex(r"\b([3-5]) ?(?:x|by|\u00d7) ?\1\b")
_OTHERWISE = regex(
    r"mis[\u00e8e]re|\bwhoever .{0,40} loses\b|\b(?:loses?|lost) (?:who|if|when|with)\b|\bavoid\b|\bgravity\b|"
    r"\bconnect (?:four|4)\b|\b(?:drop|fall|slide)s?\b",
    re.IGNORECASE,
)
"""Words of games in which a line does not win, or an act names a column."""
_OTHERS = {"i", "it", "he", "she", "they", "computer", "opponent", "player", "bot", "machine", "house"}
_TAKES = (
    r"\b(\w+)(?:'s move is|:| has| have| had| am| is)?(?: already| now| then)? (?:taken|takes?|took|holds?|held|"
    r"occup\w+|play(?:s|ed)?|place[sd]?|puts?|marks?|marked|answers?|chooses?|chose|picks?)"
    r"(?: (?:an?|its|my|their|the|already|on|at|in|with|square|squares|cell|field|space|position|number|[A-Z]))*"
)


@dataclass(frozen=True, slots=True)
class LineGame:
    """A row with its board, empty where the prompt draws none, how many in a line win, and the model's mark."""

    row: int
    board: Board
    count: int
    marks: frozenset[str]


def lines_over_taken(subject: Subject, rows: Sequence[int]) -> Iterator[Finding]:
    """The finding that a line over a square that the other player has taken wins the game."""
    games = [game for row in rows if (game := game_of(prompt_text(subject, row), row))]
    for put in ways_to_put(subject) if len(games) >= FEWEST_ROWS else ():
        known = names_squares(subject, games, put)
        won = [one for game in games[:TASTED] if (one := _won(subject, game, put, known))]
        won += [one for game in games[TASTED:] if won and (one := _won(subject, game, put, known))]
        if len(won) >= FEWEST_ROWS:
            (episode, taken), *_ = won
            shown = turns_text(own_turns(episode.completion))
            yield Finding(
                f"A square that the other player has taken can be taken again, on {len(won)} of {len(games)} rows: "
                f"{shown} wins, although {taken} was taken.",
                "Refuse a square that is not free, or end the game as lost, as the rules say.",
                *too_good(subject, episode),
            )  # fmt: skip
            return


def game_of(prompt: str, row: int) -> LineGame | None:
    """The game of a row; None where its board has no known size, or a line does not win."""
    count, boards = winning_count(prompt), boards_in(prompt)
    if not count or len(boards) > 1 or _OTHERWISE.search(prompt):
        return None
    sizes = {isqrt(int(found)) for found in _SQUARES.findall(prompt)} | set(map(int, _SIZE.findall(prompt)))
    size = sizes.pop() if len(sizes) == 1 else 3 if not sizes and OF_THREE.search(prompt) else 0
    empty = ("." * size,) * size if size >= count else ()
    board = boards[0] if boards else empty
    square = bool(board) and len({len(line) for line in board}) == 1
    return LineGame(row, board, count, frozenset(own_marks(prompt))) if square else None


def _won(subject: Subject, game: LineGame, put: Put, known: bool) -> tuple[Episode, str] | None:
    """An episode that is won by a line over a taken square, and the name of this square."""
    for first, taken in positions(subject, game, put, known):
        for cells in islice(_ways_over(game, first, taken), MOST_LINES):
            over = next(cell for cell in cells if cell in taken)
            for episode in _played(subject, game, put, cells):
                free = _acts(game, put, [cell for cell in cells if cell not in taken])
                usual = play_compared(subject, [(game.row, free)] if free else [])
                went_on = len(own_turns(episode.completion)) >= len(cells)
                if went_on and not any(_wins(subject, one) for one in usual):
                    return episode, _name(game, put, over)
    return None


def _played(subject: Subject, game: LineGame, put: Put, cells: Sequence[Cell]) -> list[Episode]:
    """The episode in which these squares are named, if the game is won by it."""
    acts = _acts(game, put, cells)
    return [one for one in play_scored(subject, [(game.row, acts)] if acts else []) if _wins(subject, one)]


def _acts(game: LineGame, put: Put, cells: Sequence[Cell]) -> list[Act]:
    return [put(*cell, len(game.board[0])) for cell in cells]


def _wins(subject: Subject, episode: Episode) -> bool:
    best = max((gold.reward for gold in golds(subject).values()), default=None)
    return as_good_as_gold(subject, episode) if best is None else reward_of(episode) >= WINS * best


def names_squares(subject: Subject, games: Sequence[LineGame], put: Put) -> bool:
    """Whether this is how acts name squares: as the boards of the prompts number them, or gold completes its lines."""
    drawn = [all(_drawn_as_named(game, put, cell) for cell in cells_of(game.board)) for game in games]
    lines = [_completes_a_line(game, put, gold) for game in games if (gold := golds(subject).get(game.row))]
    return all(drawn) or (len(lines) >= FEWEST_ROWS and all(lines))


def _drawn_as_named(game: LineGame, put: Put, cell: Cell) -> bool:
    return not is_free(game.board, cell) or at_cell(game.board, cell) == _name(game, put, cell)


def _completes_a_line(game: LineGame, put: Put, gold: Gold) -> bool:
    """Whether the acts of gold complete a line with its marks on the board, and are on free squares."""
    cells = [cell for cell in cells_of(game.board) if is_free(game.board, cell)]
    free = {name_of_act(put(*cell, len(game.board[0]))): cell for cell in cells}
    acts = [act if act.get("tool_calls") else str(act.get("content") or "").strip() for act in acts_of(gold)]
    names = [name_of_act(act) for act in acts]
    own = {cell for cell in cells_of(game.board) if at_cell(game.board, cell) in game.marks}
    own |= {free[name] for name in names if name in free}
    return any(own.issuperset(line) for line in lines_of(game.board, game.count))


def positions(subject: Subject, game: LineGame, put: Put, known: bool) -> Iterator[tuple[tuple[Cell, ...], set[Cell]]]:
    """The first acts of a game, and the squares that the other player has taken after them.

    A name that a text gives a taken square is the name of it; where squares are drawn, it has to be known how acts
    name them.
    """
    marked = [cell for cell in cells_of(game.board) if not is_free(game.board, cell)]
    if marked and not (game.marks and known):
        return
    prompt = prompt_text(subject, game.row)
    taken = {cell for cell in marked if at_cell(game.board, cell) not in game.marks} or _named(game, put, prompt)
    if taken or marked:
        yield (), taken
        return
    for cell in [(0, 0), (len(game.board) // 2,) * 2][:MOST_FIRST]:
        for episode in play_scored(subject, [(game.row, [put(*cell, len(game.board[0])), ""])]):
            reply = reply_to(episode)
            if reply and not SAYS_WRONG.search(reply):
                yield (cell,), _shown(game, cell, reply) or _named(game, put, reply) - {cell}


def _shown(game: LineGame, own: Cell, reply: str) -> set[Cell]:
    """The squares with another mark than the model's, where a reply draws the board after its first act."""
    size = len(game.board)
    lines = [[sign.strip() or "." for sign in line.split("|")] for line in reply.splitlines() if "|" in line]
    rows = [*lines, [sign for line in lines if len(line) == size for sign in line]]
    flat = next((signs for signs in rows if len(signs) == size * size and all(len(sign) == 1 for sign in signs)), [])
    board = tuple("".join(flat[at : at + size]) for at in range(0, len(flat), size)) or last_board([reply])
    if not board or not same_size(board, game.board) or at_cell(board, own) not in game.marks:
        return set()
    return {cell for cell in cells_of(board) if not is_free(board, cell) and at_cell(board, cell) not in game.marks}


def _named(game: LineGame, put: Put, text: str) -> set[Cell]:
    """The squares of which a text says that somebody else has taken them."""
    own = {mark.casefold() for mark in game.marks}
    found = set()
    for cell in cells_of(game.board):
        name = re.escape(_name(game, put, cell))
        takers = {who.casefold() for who in re.findall(rf"{_TAKES} {name}(?!\w)", text, re.IGNORECASE)}
        marks = {"x", "o"} if own else set()
        found |= {cell} if takers & (marks | _OTHERS) - own else set()
    return found


def _name(game: LineGame, put: Put, cell: Cell) -> str:
    """What a square is called in an act."""
    act = put(*cell, len(game.board[0]))
    if isinstance(act, str):
        return act
    return " ".join(str(value) for value in act["tool_calls"][0]["function"]["arguments"].values())


def _ways_over(game: LineGame, first: tuple[Cell, ...], taken: Collection[Cell]) -> Iterator[tuple[Cell, ...]]:
    """The squares of lines with a taken one, these first, with which no other line is completed."""
    own = {cell for cell in cells_of(game.board) if at_cell(game.board, cell) in game.marks}
    for line in lines_of(game.board, game.count):
        over = [cell for cell in line if cell in taken]
        legal = own | set(first) | (set(line) - set(over))
        others = any(legal.issuperset(other) for other in lines_of(game.board, game.count))
        if over and not others and set(first) <= set(line):
            yield (*first, *over, *(cell for cell in line if cell not in (*over, *first, *own)))
