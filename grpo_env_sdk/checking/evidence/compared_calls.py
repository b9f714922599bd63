"""Calls that score the top, found from what the scorer compares written calls with; where nothing else knows gold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.compared_values import Compared
from grpo_env_sdk.checking.evidence.episode_player import EpisodePlayer
from grpo_env_sdk.checking.evidence.score_code import score_functions
from grpo_env_sdk.checking.evidence.spellings import Spelling
from grpo_env_sdk.checking.evidence.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.watched_comparisons import WatchedComparisons
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Message

MOST_TRIED, MOST_TOOLS = 24, 8
"""How many calls are tried on a row, and of how many tools."""
_MADE_UP = 987_650
"""The first of the numbers that are given where nothing is known yet."""
_WORD = "zephyr"
Call = dict[str, Any]


class AsItIs(Spelling):
    """Messages are an answer already."""

    def write(self, value: object) -> Any:
        """The messages."""
        return value


class ComparedCalls:
    """The message with the call that scores the top on each row, or None; each row is searched once."""

    def __init__(self, subject: EpisodePlayer, top: float) -> None:
        self._subject, self.top = subject, top
        self._comparisons = WatchedComparisons(score_functions(subject.loaded.env))
        self._known: dict[int, list[Message] | None] = {}

    def __call__(self, row: int) -> list[Message] | None:
        """The message of a row."""
        if row not in self._known:
            self._known[row] = self._found(row)
        return self._known[row]

    def _found(self, row: int) -> list[Message] | None:
        tools = {name_of(tool): made_up(properties_of(tool)) for tool in self._subject.tools_of(row)[:MOST_TOOLS]}
        waiting: list[Call] = [{"name": name, "arguments": given} for name, given in tools.items()]
        tried: list[Call] = []
        while waiting and len(tried) < MOST_TRIED:
            call = waiting.pop(0)
            if call in tried:
                continue
            tried.append(call)
            message = [call_message(call["name"], **call["arguments"])]
            reward, pairs = self._scored(row, message)
            if reward is not None and reward >= self.top:
                return message
            waiting[:0] = [better for better in _replaced(call, tools, pairs) if better not in tried]
        return None

    def _scored(self, row: int, message: list[Message]) -> tuple[float | None, Sequence[Compared]]:
        with self._comparisons.watched() as pairs:
            episodes = self._subject.answers([(row, message)])
        return (episodes[0].reward if episodes and not episodes[0].error else None), pairs


def made_up(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that nobody asks for, each another one."""
    return {name: _made_up(schema, place) for place, (name, schema) in enumerate(parameters.items())}


def is_made_up(value: object) -> bool:
    """Whether a value was made up, and nothing compared it with another one."""
    return str(value).startswith((f"{_WORD} ", str(_MADE_UP)[:-2]))


def _made_up(schema: Mapping[str, Any], place: int) -> Any:
    if isinstance(schema.get("enum"), list):
        return schema["enum"][-1]
    kinds = {"integer": _MADE_UP + place, "number": _MADE_UP + place + 0.5, "boolean": True, "array": [], "object": {}}
    return kinds.get(str(schema.get("type")), f"{_WORD} {place}")


def _replaced(call: Call, tools: Mapping[str, dict[str, Any]], pairs: Iterable[Compared]) -> list[Call]:
    """The call with what stands opposite its own values: all of them at once, and a whole call where there is one."""
    better: Call = {"name": call["name"], "arguments": dict(call["arguments"])}
    whole: list[Call] = []
    for own, other in _sides(pairs):
        if isinstance(own, str) and own == call["name"] and other in tools and other != own:
            better = {"name": other, "arguments": dict(tools[other])}
        elif isinstance(own, Mapping) and isinstance(other, Mapping):
            if own == call["arguments"]:
                better["arguments"] = dict(other)
            elif own.get("name") == call["name"] and isinstance(other.get("arguments"), Mapping):
                whole.append({"name": str(other.get("name")), "arguments": dict(other["arguments"])})
        else:
            wanted = _one_of(other)
            for name, value in call["arguments"].items():
                if type(own) is type(value) and own == value and wanted is not None:
                    better["arguments"][name] = wanted
    return [*whole, *([better] if better != call else [])]


def _sides(pairs: Iterable[Compared]) -> Iterator[tuple[Any, Any]]:
    """What was compared and not alike, each side once as one's own; of lists the items too, one by one."""
    for pair in pairs:
        for own, other in () if pair.alike else pair.both_ways:
            yield own, other
            items = list(own) if isinstance(own, list | tuple) else []
            if isinstance(other, list | tuple):
                yield from zip(items, other, strict=False)
            else:
                yield from ((item, other) for item in items)


def _one_of(other: Any) -> Any:
    """What a value was compared with: the first of several that it may be; None where an argument cannot be that."""
    if isinstance(other, tuple | set):
        return next((one for one in other if type(one) in (str, int, float)), None)
    return other if type(other) in (str, int, float, bool, list) else None
