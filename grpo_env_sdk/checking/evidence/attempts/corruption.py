"""Gold answers corrupted piece by piece: words and values of tool calls are replaced by others."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

_WORD = regex(r"\w+(?:[.'-]\w+)*")
Place = tuple[int, str, int]
"""A turn, its part (`content`, or the name of an argument), and the index of the word or of the call."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of an answer that can be right or wrong."""

    place: Place
    value: Any


class Corruption:
    """Knows the values in the gold answers of many rows, and so the plausible wrong values."""

    def __init__(self, answers: Sequence[Sequence[Message]]) -> None:
        self._seen: dict[tuple[int, str], list[Any]] = defaultdict(list)
        for turns in answers:
            for piece in pieces_of(turns):
                for kind in ((piece.place[0], piece.place[1]), (-1, piece.place[1])):
                    if piece.value not in self._seen[kind]:
                        self._seen[kind].append(piece.value)
        constant = [{(p.place, str(p.value)) for p in pieces_of(turns)} for turns in answers]
        self._always = set.intersection(*constant) if len(constant) > 1 else set()

    def pieces(self, turns: Sequence[Message]) -> list[Piece]:
        """The pieces that differ from row to row; all pieces if none do."""
        found = pieces_of(turns)
        own = [piece for piece in found if (piece.place, str(piece.value)) not in self._always]
        return own or found

    def corrupted(self, turns: Sequence[Message], wrong: Sequence[Piece], rng: random.Random) -> list[Message]:
        """The answer with other values in some places."""
        changed: list[Message] = deepcopy(list(turns))
        replaced = {piece.place: self._other(piece, rng) for piece in wrong}
        for number, turn in enumerate(changed):
            turn["content"] = _with_words(str(turn.get("content") or ""), number, replaced)
            for place, call in enumerate(turn.get("tool_calls") or []):
                arguments = call["function"]["arguments"]
                for name in arguments if isinstance(arguments, dict) else ():
                    arguments[name] = replaced.get((number, name, -1 - place), arguments[name])
        return changed

    def _other(self, piece: Piece, rng: random.Random) -> Any:
        """Another value seen in such a place, or an invented one."""
        turn, name, _ = piece.place
        for kind in ((turn, name), (-1, name)):
            others = [value for value in self._seen[kind] if value != piece.value and type(value) is type(piece.value)]
            if others:
                return rng.choice(others)
        return wrong_value(piece.value)


def pieces_of(turns: Sequence[Message]) -> list[Piece]:
    """Every word and every argument value, in order."""
    return [piece for number, turn in enumerate(turns) for piece in _in_turn(number, turn)]


def wrong_value(value: Any) -> Any:
    """A wrong value of the same type."""
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


def _with_words(text: str, number: int, replaced: dict[Place, Any]) -> str:
    """The text with some of its words replaced."""
    count = iter(range(len(text) + 1))
    return _WORD.sub(lambda found: str(replaced.get((number, "content", next(count)), found.group())), text)
