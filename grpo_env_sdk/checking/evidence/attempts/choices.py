"""The values that gold chooses, which can be chosen wrongly first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.attempts.slots import TEXT
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import last_of_golds, placed_calls, some_golds
from grpo_env_sdk.types import Message

MOST_CHARS = 60
"""How long a value may be."""
Place = tuple[str, str]
"""The tool and the parameter of a choice, or `TEXT` and nothing."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that gold chooses in its last act of a kind, and where it stands."""

    gold: Gold
    turn: int
    call: int
    name: str
    value: Any
    """A number or a short text; or all arguments of the call, where it has no name."""
    frame: tuple[str, str] = ("", "")

    def turns(self, *values: Any, whole: bool = True) -> list[Message]:
        """Gold with this act done with each of these values, one after another; else without what it does before."""
        act = self.gold.turns[self.turn]
        acts = [self._with(deepcopy(act), value) for value in values]
        before = self.gold.turns[: self.turn] if whole else []
        return [*deepcopy(before), *acts, *deepcopy(self.gold.turns[self.turn + 1 :])]

    def _with(self, act: Message, value: Any) -> Message:
        if not act.get("tool_calls"):
            return {**act, "content": f"{self.frame[0]}{value}{self.frame[1]}"}
        self.put(act["tool_calls"][self.call], value)
        return act

    def put(self, call: Message, value: Any) -> None:
        """Let a call have this value in place of gold's."""
        if self.name:
            call["function"]["arguments"][self.name] = value
        else:
            call["function"]["arguments"] = deepcopy(value)


def choices_of(subject: Subject) -> Mapping[Place, list[Choice]]:
    """The values that gold chooses, by tool and parameter, the last ones first, and the last messages of games."""
    return _last_given(subject, _is_choice) | _last_messages(subject)


def lists_of(subject: Subject) -> Mapping[Place, list[Choice]]:
    """The lists of numbers or short texts that gold chooses, by tool and parameter."""
    return _last_given(subject, lambda value: isinstance(value, list) and bool(value) and all(map(_is_choice, value)))


def _last_given(subject: Subject, is_meant: Callable[[Any], bool]) -> dict[Place, list[Choice]]:
    def given(gold: Gold) -> Iterator[tuple[Place, Choice]]:
        for turn, place, tool, arguments in placed_calls(gold):
            for name, value in arguments.items():
                if is_meant(value):
                    yield (tool, name), Choice(gold, turn, place, name, value)

    return dict(reversed(last_of_golds(subject, given).items()))


def whole_calls_of(subject: Subject) -> Mapping[str, list[Choice]]:
    """The last call of gold of each tool, with all of its arguments as what is chosen."""
    return last_of_golds(
        subject,
        lambda gold: ((tool, Choice(gold, turn, place, "", given)) for turn, place, tool, given in placed_calls(gold)),
    )


def last_texts(subject: Subject) -> list[list[Choice]]:
    """What gold says last after calls, without what it always says there; nothing where it calls nothing."""
    known = some_golds(subject)
    if not known or any(gold.turns[-1].get("tool_calls") or len(gold.turns) < 2 for gold in known):
        return []
    calls = any(turn.get("tool_calls") for gold in known for turn in gold.turns)
    return [_said_last(known)] if calls else []


def _last_messages(subject: Subject) -> dict[Place, list[Choice]]:
    """What gold says last in a game that calls nothing, without what it always says there."""
    known = some_golds(subject) if subject.traits.kind == "multi-turn" else []
    if not known or any(turn.get("tool_calls") for gold in known for turn in gold.turns):
        return {}
    return {(TEXT, ""): _said_last(known)}


def _said_last(known: Sequence[Gold]) -> list[Choice]:
    frame = form_of([gold.text for gold in known])
    cores = {gold.row: without_form(gold.text, frame) for gold in known}
    found = [Choice(gold, len(gold.turns) - 1, 0, "", cores[gold.row], frame) for gold in known]
    return [choice for choice in found if _is_choice(choice.value)]


def _is_choice(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool) and 0 < len(str(value)) <= MOST_CHARS
