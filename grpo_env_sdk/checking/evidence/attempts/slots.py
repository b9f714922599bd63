"""The values of gold's acts that can be replaced: arguments of calls, and the numbers of texts in games."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.playing.turns import functions_of
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import last_of_golds, some_golds
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

_NUMBER = regex(r"(?<![\w.])-?\d+(?:\.\d+)?(?!\w)")
TEXT = "a message"
"""What findings call an act that calls nothing."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One value of an act of gold, and where it stands."""

    gold: Gold
    turn: int
    act: str
    """The tool, or `TEXT`."""
    name: str
    """The parameter, or which number of the text it is."""
    value: Any
    place: int | tuple[int, int]
    """Which call of the turn, or where in the text."""


def slots_of(subject: Subject) -> dict[tuple[str, str], list[Slot]]:
    """The values of some gold answers by act and name: those of the last call of each tool, or of the last text."""
    games = subject.traits.kind == "multi-turn"

    def of_gold(gold: Gold) -> Iterator[tuple[tuple[str, str], Slot]]:
        for number, turn in enumerate(gold.turns):
            for slot in [*_of_calls(gold, number, turn), *(_of_text(gold, number, turn) if games else ())]:
                yield (slot.act, slot.name), slot

    return last_of_golds(subject, of_gold)


def are_told(subject: Subject, slots: Sequence[Slot]) -> bool:
    """Whether prompts say gold's values."""
    return all(says(prompt_text(subject, slot.gold.row), str(slot.value)) for slot in slots)


def numbers_said(subject: Subject) -> list[int | float]:
    """The numbers of all texts of some gold answers."""
    return [
        slot.value for gold in some_golds(subject) for number, turn in enumerate(gold.turns)
        for slot in _of_text(gold, number, turn)
    ]  # fmt: skip


def with_values(slots: Sequence[Slot], values: Sequence[Any]) -> list[Message]:
    """Gold's turns with other values in some slots of one turn, those of a text from left to right."""
    turns = deepcopy(slots[0].gold.turns)
    for slot, value in reversed(list(zip(slots, values, strict=True))):
        turn = turns[slot.turn]
        if isinstance(slot.place, int):
            turn["tool_calls"][slot.place]["function"]["arguments"][slot.name] = value
        else:
            start, end = slot.place
            turn["content"] = f"{turn['content'][:start]}{value}{turn['content'][end:]}"
    return turns


def _of_calls(gold: Gold, number: int, turn: Message) -> list[Slot]:
    functions = functions_of([turn])
    return [
        Slot(gold, number, function["name"], name, value, place)
        for place, function in enumerate(functions)
        if isinstance(function["arguments"], dict)
        for name, value in function["arguments"].items()
    ]


def _of_text(gold: Gold, number: int, turn: Message) -> list[Slot]:
    if turn.get("tool_calls"):
        return []
    places = list(_NUMBER.finditer(str(turn.get("content") or "")))
    return [
        Slot(gold, number, TEXT, f"number {place}", _as_number(one.group()), one.span())
        for place, one in enumerate(places[:3], 1)
    ]


def _as_number(text: str) -> int | float:
    return float(text) if "." in text else int(text)
