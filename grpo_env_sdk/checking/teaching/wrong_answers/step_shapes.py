"""Whether a path may have a move of a shape that no gold has, such as a jump around the edge of a board."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.steps import Steps, steps_of_golds
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_ROWS, MOST_TRIED = 8, 2, 80
"""On how many rows steps are replaced, on how many it has to count, and by how many others."""
FEWEST_MOVES, MOST_SHAPES = 24, 2
"""How many moves gold has to have, all of so few shapes, before a move of another shape is against a rule."""
_RULES = regex(
    r"\b(?:knight|king|queen|rook|bishop|adjacent|neighbou?r\w*|next to|(?:one|a single|1) (?:letter|step|square|cell|"
    r"field|tile)|each (?:step|move)|at a time|legal|valid)\b",
    re.IGNORECASE,
)
_WRAPS = regex(r"\b(?:wraps?|torus|around the edges?|portals?|teleport\w*)\b", re.IGNORECASE)
_SQUARE, _PAIR = regex(r"([A-Za-z])(\d{1,2})"), regex(r"\(?(-?\d{1,3})[,;:] ?(-?\d{1,3})\)?")
_WORD = regex(r"[^\W\d_]{3,}")
Shape = tuple[int, ...]


@check("G561", kinds=("single-turn",), needs=("gold",))
def moves_have_the_shapes_of_gold(subject: Subject) -> Iterator[Finding]:
    """A path with a move of a shape that no move of gold has scores less, where all moves of gold have one or two."""
    known = [one for one in steps_of_golds(subject) if all(shape_of(*pair) for pair in pairwise(one.steps))]
    shapes = Counter(shape_of(*pair) for one in known for pair in pairwise(one.steps))
    wraps = any(_WRAPS.search(prompt_text(subject, one.gold.row)) for one in known)
    if wraps or not 0 < len(shapes) <= MOST_SHAPES or shapes.total() < FEWEST_MOVES:
        return
    places = _all_places(known)
    chosen = sorted(known, key=lambda one: len(one.steps))[:MOST_ROWS]
    won = [found for one in chosen for found in _accepted(subject, one, places, set(shapes))]
    rows = {episode.row_index for episode, _ in won}
    if len(rows) < FEWEST_ROWS:
        return
    episode, move = won[0]
    row = episode.row_index
    yield Finding(
        f"A path with the move {quoted(move)} scores as much as gold in row {row}, and so on {len(rows)} of "
        f"{len(chosen)} rows tried: no move of gold has that shape, in {shapes.total()} moves.",
        "Check each move by itself: how far it goes in each direction, the edges of the board, or how much it changes.",
        row, answer_text(episode.completion), episode.reward, less_than_gold(subject, episode),
        severity="error" if _RULES.search(prompt_text(subject, row)) else "warning",
    )  # fmt: skip


def shape_of(one: str, other: str) -> Shape:
    """How far a move goes on a board in each direction, or how many letters it changes; empty for anything else."""
    if (here := _place(one)) and (there := _place(other)):
        return tuple(sorted(abs(a - b) for a, b in zip(here, there, strict=True)))
    if _WORD.fullmatch(one) and _WORD.fullmatch(other) and len(one) == len(other):
        return (sum(a != b for a, b in zip(one.casefold(), other.casefold(), strict=True)),)
    return ()


def _place(step: str) -> tuple[int, int] | None:
    if square := _SQUARE.fullmatch(step):
        return ord(square[1].lower()), int(square[2])
    pair = _PAIR.fullmatch(step)
    return (int(pair[1]), int(pair[2])) if pair else None


def _all_places(known: Sequence[Steps]) -> list[str]:
    """Every place of the board that gold's places span, or every word of gold."""
    seen = list(dict.fromkeys(step for one in known for step in one.steps))
    squares = [square for step in seen if (square := _SQUARE.fullmatch(step))]
    if len(squares) < len(seen):
        return seen
    columns, lines = sorted({one[1] for one in squares}), sorted({int(one[2]) for one in squares})
    return [f"{column}{line}" for column in columns for line in lines]


def _accepted(subject: Subject, one: Steps, places: Sequence[str], shapes: set[Shape]) -> list[tuple[Episode, str]]:
    """The paths with another place in the middle that make a move of a new shape and are as good as gold."""
    tried: dict[str, str] = {}
    for at in range(1, len(one.steps) - 1):
        for place in places:
            moves = [(one.steps[at - 1], place), (place, one.steps[at + 1])]
            new = [move for move in moves if shape_of(*move) and shape_of(*move) not in shapes]
            if new and place not in one.steps:
                tried[one.text([*one.steps[:at], place, *one.steps[at + 1 :]])] = " to ".join(new[0])
    texts = list(tried)[:MOST_TRIED]
    played = play_answers(subject, [(one.gold.row, text) for text in texts])
    pairs = zip(played, texts, strict=False)
    return [(episode, tried[text]) for episode, text in pairs if as_good_as_gold(subject, episode)]
