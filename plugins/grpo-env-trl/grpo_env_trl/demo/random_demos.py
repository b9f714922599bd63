"""A policy that follows the steps of a solution, but with random values."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grpo_env_sdk import Message, Turn
from grpo_env_sdk.ext import Request, assistant_message
from grpo_env_trl.demo.slot_values import WORD, Place, Values, text_of

_RANDOM_SHARE = 0.9
"""How often a value is drawn instead of taken from the solution."""
_SKIPPED_SHARE = 0.1
"""How often a call is left out."""

Kind = dict[str, Any]
"""The values that some solution has in one place, by their text."""


class RandomDemoPolicy:
    """Plays recorded solutions, with values drawn from those of the same kind that the episode has shown so far."""

    name = "random-demo"

    def __init__(self, solutions: Mapping[int, Sequence[Message]], values: Values) -> None:
        self._solutions = solutions
        self._values = values
        self._kinds = _kinds_of(solutions.values(), values)

    async def respond(self, request: Request) -> Turn:
        """The next message of the solution; the last one again where the episode goes on."""
        rng = random.Random(request.seed)
        solution = self._solutions[request.row_index]
        if request.turn == 0:
            request.memory["course"] = iter(_with_gaps(solution, rng))
        message = next(request.memory["course"], solution[-1])
        shown = _Shown(request.messages, self._values)

        def drawn(place: Place, value: Any) -> Any:
            kind = self._kinds[place]
            return rng.choice(shown.like(value, kind) or [*kind.values()]) if rng.random() < _RANDOM_SHARE else value

        return Turn(assistant_message(self._values.changed(message, drawn), request.turn))


class _Shown:
    """What an episode has shown so far, without the assistant's own words."""

    def __init__(self, messages: Sequence[Message], values: Values) -> None:
        self._text = "\n".join(text_of(message) for message in messages if message["role"] != "assistant")
        self._words = [word for word in dict.fromkeys(WORD.findall(self._text)) if word in values]

    def like(self, right: Any, kind: Kind) -> list[Any]:
        """The shown values of the same kind as the right one; empty where the right one was not shown."""
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
    """The solution without a tenth of its calls; its last message always stays."""
    *course, end = solution
    kept = []
    for message in course:
        calls = [call for call in message.get("tool_calls", ()) if rng.random() >= _SKIPPED_SHARE]
        if calls or message.get("content"):
            kept.append({**message, "tool_calls": calls})
    return [*kept, end]
