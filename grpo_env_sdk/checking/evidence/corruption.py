"""Gold answers spoilt piece by piece: words of texts and values of tool calls are exchanged for others."""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.types import Message

_WORD = re.compile(r"\w+(?:[.'-]\w+)*")
Place = tuple[int, str, int]
"""A turn, what of it (`content`, or the name of an argument), and which word of that text, or which call."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing in a course that can be right or wrong."""

    place: Place
    value: Any


class Corruption:
    """Knows what stands in the gold courses of many rows, and so what may stand there wrongly."""

    def __init__(self, courses: Sequence[Sequence[Message]]) -> None:
        self._seen: dict[tuple[int, str], list[Any]] = defaultdict(list)
        for course in courses:
            for piece in pieces_of(course):
                for kind in ((piece.place[0], piece.place[1]), (-1, piece.place[1])):
                    if piece.value not in self._seen[kind]:
                        self._seen[kind].append(piece.value)
        constant = [{(p.place, str(p.value)) for p in pieces_of(course)} for course in courses]
        self._always = set.intersection(*constant) if len(constant) > 1 else set()

    def pieces(self, course: Sequence[Message]) -> list[Piece]:
        """What of a course is its row's own; where nothing is, all of it."""
        found = pieces_of(course)
        own = [piece for piece in found if (piece.place, str(piece.value)) not in self._always]
        return own or found

    def spoilt(self, course: Sequence[Message], wrong: Sequence[Piece], rng: random.Random) -> list[Message]:
        """The course with other values in some places."""
        turns: list[Message] = deepcopy(list(course))
        exchanged = {piece.place: self._other(piece, rng) for piece in wrong}
        for number, turn in enumerate(turns):
            turn["content"] = _with_words(str(turn.get("content") or ""), number, exchanged)
            for place, call in enumerate(turn.get("tool_calls") or []):
                arguments = call["function"]["arguments"]
                for name in arguments if isinstance(arguments, dict) else ():
                    arguments[name] = exchanged.get((number, name, -1 - place), arguments[name])
        return turns

    def _other(self, piece: Piece, rng: random.Random) -> Any:
        """Another value seen in such a place, or one that is made up."""
        turn, name, _ = piece.place
        for kind in ((turn, name), (-1, name)):
            others = [value for value in self._seen[kind] if value != piece.value and type(value) is type(piece.value)]
            if others:
                return rng.choice(others)
        return made_wrong(piece.value)


def pieces_of(course: Sequence[Message]) -> list[Piece]:
    """Every word and every value of an argument, in order."""
    return [piece for number, turn in enumerate(course) for piece in _in_turn(number, turn)]


def made_wrong(value: Any) -> Any:
    """A value of the same type that is wrong."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 7
    if isinstance(value, str) and value.isdecimal():
        return str((int(value[0]) + 4) % 9 + 1) + value[1:]
    return "wrong" if isinstance(value, str) else None


def _in_turn(number: int, turn: Message) -> Iterator[Piece]:
    for place, call in enumerate(turn.get("tool_calls") or []):
        arguments = call["function"]["arguments"]
        for name in arguments if isinstance(arguments, dict) else ():
            yield Piece((number, name, -1 - place), arguments[name])
    for place, word in enumerate(_WORD.findall(str(turn.get("content") or ""))):
        yield Piece((number, "content", place), word)


def _with_words(text: str, number: int, exchanged: dict[Place, Any]) -> str:
    """The text with some of its words exchanged, all else as it is."""
    count = iter(range(len(text) + 1))
    return _WORD.sub(lambda found: str(exchanged.get((number, "content", next(count)), found.group())), text)
