"""Whether less than nothing of one thing pays for more of another, in one act with several amounts."""

import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold, play_scored, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, paid, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

NEGATIVE, MOST_ROWS, TASTED, MOST_PARTS, MOST_WORDS, MOST_SHOWN = -50, 12, 4, 4, 4, 80
_AMOUNT = regex(
    r"\bhow (?:many|much)\b|\bnumbers? of\b|\bquantit|\bamounts?\b|\bpieces\b|\bunits\b|\bshares?\b|\bper ?cent|%|"
    r"\b(?:divide|split|allocate|distribute)\b",
    re.IGNORECASE,
)
"""What prompts and schemas say of numbers that are never less than nothing."""
_MAY_BE_LESS = regex(
    r"\bnegative|\bminus\b|\bbelow zero\b|\bintegers?\b|\bdebts?\b|\bshort(?:ing| sell)", re.IGNORECASE
)
_TYPE = regex(r'"type": ?"integer"')
_NUMBER = regex(r"(?<![\w.,-])\d{1,6}(?![\w.,]*\d)")
Numbers = tuple[int, ...]
Path = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """The last act of a gold answer with several amounts, and gold with other ones in their place."""

    gold: Gold
    turn: int
    numbers: Numbers
    write: Callable[[Numbers], list[Message]]

    def raised(self) -> Iterator[tuple[Numbers, Numbers]]:
        """More of one thing with less than nothing of another, and the same with nothing of it."""
        for less, more in permutations(range(min(len(self.numbers), MOST_PARTS)), 2):
            both = self.numbers[less] + self.numbers[more]
            for added in dict.fromkeys((self.numbers[more] + 1, both - NEGATIVE)):
                legal = added if added == self.numbers[more] + 1 else both
                yield self._with({less: NEGATIVE, more: added}), self._with({less: 0, more: legal})
        for less in range(min(len(self.numbers), MOST_PARTS)) if len(self.numbers) > 2 else ():
            others = {place: number + 1 for place, number in enumerate(self.numbers) if place != less}
            yield self._with({**others, less: NEGATIVE}), self._with({**others, less: 0})

    def positive(self, numbers: Numbers) -> list[Numbers]:
        """The same amounts with gold's in place of the negative one, and without its sign."""
        own = tuple(own if one < 0 else one for one, own in zip(numbers, self.numbers, strict=True))
        return [own, tuple(map(abs, numbers))]

    def _with(self, changed: dict[int, int]) -> Numbers:
        return tuple(changed.get(place, number) for place, number in enumerate(self.numbers))


def negative_parts(subject: Subject) -> Iterator[Finding]:
    """The finding that a negative amount beside a greater one is as good as gold, where none of it loses."""
    known = [parts for gold in some_golds(subject)[:MOST_ROWS] if (parts := _parts_of(subject, gold))]
    if len(known) < FEWEST_ROWS or not _are_amounts(subject, known[0]):
        return
    shown: list[Episode] = []
    for some in (known[:TASTED], known[TASTED:]):
        shown += [episode for parts in some if (episode := _paying(subject, parts))]
        if not shown:
            return
    if len(shown) >= max(FEWEST_ROWS, len(known) // 2):
        parts = next(one for one in known if one.gold.row == shown[0].row_index)
        act = turns_text(own_turns(shown[0].completion)[parts.turn : parts.turn + 1])[:MOST_SHOWN]
        what = f"An act with a negative amount, {act}, which loses with nothing in its place,"
        yield paid(subject, shown, len(known), what, "Refuse amounts below 0, in the schema (minimum) or in the act.")


def _are_amounts(subject: Subject, parts: Parts) -> bool:
    """Whether the prompt or the schema of the tool speaks of amounts, and of no negative numbers."""
    calls = parts.gold.turns[parts.turn].get("tool_calls") or []
    names = {call["function"]["name"] for call in calls}
    schemas = canonical_json([tool for tool in subject.tools_of(parts.gold.row) if name_of(tool) in names])
    said = f"{prompt_text(subject, parts.gold.row)} {_TYPE.sub('', schemas)}"
    return bool(_AMOUNT.search(said)) and not _MAY_BE_LESS.search(said)


def _paying(subject: Subject, parts: Parts) -> Episode | None:
    """An episode with a negative amount that is as good as gold, where any other amount in its place loses."""
    tried = list(parts.raised())
    for (numbers, legal), (_, episode) in zip(tried, _played(subject, parts, [one for one, _ in tried]), strict=True):
        if episode and won_of(subject, [episode]):
            others = _played(subject, parts, [legal, *parts.positive(numbers)])
            played = [one for _, one in others if one]
            if len(played) == len(others) and not won_of(subject, played):
                return episode
    return None


def _played(subject: Subject, parts: Parts, tried: Sequence[Numbers]) -> list[tuple[Numbers, Episode | None]]:
    """The episodes with these amounts; none for one that failed."""
    found: list[tuple[Numbers, Episode | None]] = []
    for numbers in tried:
        answer: Completion = parts.write(numbers)
        played = play_scored(subject, [(parts.gold.row, answer)])
        found.append((numbers, played[0] if played else None))
    return found


def _parts_of(subject: Subject, gold: Gold) -> Parts | None:
    """The last act of gold with two amounts or more."""
    for turn in reversed(range(len(gold.turns))):
        calls = gold.turns[turn].get("tool_calls") or []
        found = _of_call(gold, turn) if len(calls) == 1 else None
        text = str(gold.turns[turn].get("content") or "")
        if not calls and (
            subject.traits.kind == "multi-turn" or (subject.traits.kind == "single-turn" and _lists(text))
        ):
            found = _of_text(gold, turn)
        if found:
            return found
    return None


def _lists(text: str) -> bool:
    """Whether an answer is nothing but amounts with what they are of: an object, or short pieces with a number each."""
    pieces = [piece for piece in re.split(r"[,;{}\n]", text) if piece.strip()]
    return len(pieces) > 1 and all(len(piece.split()) <= MOST_WORDS and _NUMBER.search(piece) for piece in pieces)


def _of_call(gold: Gold, turn: int) -> Parts | None:
    """The whole numbers among the arguments of a call, or those of one list or object that it gets."""
    given = gold.turns[turn]["tool_calls"][0]["function"]["arguments"]
    if not isinstance(given, dict):
        return None
    for paths in _groups(given):
        numbers = tuple(_at(given, path) for path in paths)
        if len(paths) > 1 and min(numbers) >= 0:

            def write(changed: Numbers, paths: Sequence[Path] = paths) -> list[Message]:
                turns = deepcopy(gold.turns)
                arguments = turns[turn]["tool_calls"][0]["function"]["arguments"]
                for path, number in zip(paths, changed, strict=True):
                    _at(arguments, path[:-1])[path[-1]] = number
                return turns

            return Parts(gold, turn, numbers, write)
    return None


def _groups(given: dict[str, Any]) -> Iterator[list[Path]]:
    """Where whole numbers stand side by side: in the arguments, in a list or object, or in one field of its items."""
    yield [(key,) for key, value in given.items() if type(value) is int]
    for name, held in given.items():
        items = list(held.items()) if isinstance(held, dict) else list(enumerate(held)) if type(held) is list else []
        yield [(name, key) for key, value in items if type(value) is int]
        objects = [(key, value) for key, value in items if isinstance(value, dict)]
        for field in objects[0][1] if objects else ():
            yield [(name, key, field) for key, value in objects if type(value.get(field)) is int]


def _at(held: Any, path: Path) -> Any:
    """What stands at a path."""
    for key in path:
        held = held[key]
    return held


def _of_text(gold: Gold, turn: int) -> Parts | None:
    """The whole numbers of a message."""
    text = str(gold.turns[turn].get("content") or "")
    places = [found.span() for found in _NUMBER.finditer(text)]

    def write(changed: Numbers) -> list[Message]:
        turns, said = deepcopy(gold.turns), text
        for (start, end), number in reversed(list(zip(places, changed, strict=True))):
            said = f"{said[:start]}{number}{said[end:]}"
        turns[turn]["content"] = said
        return turns

    return Parts(gold, turn, tuple(int(text[start:end]) for start, end in places), write) if len(places) > 1 else None
