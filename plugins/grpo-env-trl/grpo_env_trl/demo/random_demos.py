"""A policy that keeps to the course of a solution and does not care what it chooses."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.types import Message, Turn
from grpo_env_trl.demo.slot_values import WORD, Place, Values, text_of

_CARELESS = 0.9
"""How often a value is drawn instead of taken from the solution."""
_LEFT_OUT = 0.1
"""How often a call is left out."""

Kind = dict[str, Any]
"""The values that stand in one place in some solution, by their text."""


class AimlessPolicy:
    """Plays recorded solutions with their values drawn among those of their kind that the episode has shown so far."""

    name = "aimless"

    def __init__(self, solutions: Mapping[int, Sequence[Message]], values: Values) -> None:
        self._solutions = solutions
        self._values = values
        self._kinds = _kinds_of(solutions.values(), values)

    async def respond(self, request: Request) -> Turn:
        """The next message of the course; the last one again where the episode goes on after it."""
        rng = random.Random(request.seed)
        solution = self._solutions[request.row_index]
        if request.turn == 0:
            request.memory["course"] = iter(_with_gaps(solution, rng))
        message = next(request.memory["course"], solution[-1])
        shown = _Shown(request.messages, self._values)

        def drawn(place: Place, value: Any) -> Any:
            kind = self._kinds[place]
            return rng.choice(shown.like(value, kind) or [*kind.values()]) if rng.random() < _CARELESS else value

        return Turn(assistant_message(self._values.changed(message, drawn), request.turn))


class _Shown:
    """What an episode has shown so far, the assistant's own words aside."""

    def __init__(self, messages: Sequence[Message], values: Values) -> None:
        self._text = "\n".join(text_of(message) for message in messages if message["role"] != "assistant")
        self._words = [word for word in dict.fromkeys(WORD.findall(self._text)) if word in values]

    def like(self, right: Any, kind: Kind) -> list[Any]:
        """The values of the right one's kind that were shown; none where it was not, as it is not there to choose."""
        text = str(right)
        if not WORD.fullmatch(text):
            return [value for other, value in kind.items() if other in self._text] if text in self._text else []
        if text not in self._words:
            return []
        alike = [word for word in self._words if word in kind or _form(word) == _form(text)]
        return [kind[word] if word in kind else type(right)(word) for word in alike]


def _form(word: str) -> str:
    """What a word looks like: `H31` like `B52`, and `Lyon` like `York`."""
    return re.sub("[a-z]+", "a", re.sub("[A-Z]+", "A", re.sub("[0-9]", "9", word)))


def _kinds_of(solutions: Iterable[Sequence[Message]], values: Values) -> dict[Place, Kind]:
    kinds: defaultdict[Place, Kind] = defaultdict(dict)

    def note(place: Place, value: Any) -> Any:
        kinds[place].setdefault(str(value), value)
        return value

    for solution in solutions:
        for message in solution:
            values.changed(message, note)
    return dict(kinds)


def _with_gaps(solution: Sequence[Message], rng: random.Random) -> list[Message]:
    """The course without a tenth of its calls; how it ends always stays."""
    *course, end = solution
    kept = []
    for message in course:
        calls = [call for call in message.get("tool_calls", ()) if rng.random() >= _LEFT_OUT]
        if calls or message.get("content"):
            kept.append({**message, "tool_calls": calls})
    return [*kept, end]
