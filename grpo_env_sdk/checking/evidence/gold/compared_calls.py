"""Calls that score the top, found from what the scorer compares written calls with; where nothing else knows gold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.author_code.compared_values import Compared
from grpo_env_sdk.checking.evidence.gold.compared_search import ComparedSearch
from grpo_env_sdk.checking.evidence.gold.spellings import Spelling
from grpo_env_sdk.checking.evidence.playing.episode_player import EpisodePlayer
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Message

MOST_TRIED, MOST_TOOLS, MOST_CALLS = 24, 8, 4
"""How many messages are tried on a row, the calls of how many tools, and how many in one message."""
_MADE_UP = 987_650
"""The first of the numbers that are given where nothing is known yet."""
_WORD = "zephyr"
Call = dict[str, Any]
Calls = list[Call]


class AsItIs(Spelling):
    """Messages are an answer already."""

    def write(self, value: object) -> Any:
        """The messages."""
        return value


class ComparedCalls(ComparedSearch[list[Message]]):
    """The message with the call that scores the top on each row, or None."""

    def __init__(self, subject: EpisodePlayer, low: float, top: float) -> None:
        super().__init__(subject)
        self.low, self.top = max(0.0, low), top

    def _found(self, row: int) -> list[Message] | None:
        tools = {name_of(tool): made_up(properties_of(tool)) for tool in self._subject.tools_of(row)[:MOST_TOOLS]}
        waiting: list[Calls] = [[{"name": name, "arguments": given}] for name, given in tools.items()]
        tried: list[Calls] = []
        while waiting and len(tried) < MOST_TRIED:
            calls = waiting.pop(0)
            if calls in tried:
                continue
            tried.append(calls)
            reward, pairs = self._scored(row, message_of(calls))
            if reward is not None and reward >= self.top:
                return message_of(calls)
            better = _replaced(calls, tools, pairs)
            if not better and 0 < len(calls) < MOST_CALLS and reward is not None and reward > self.low:
                better = [[*calls, {"name": name, "arguments": given}] for name, given in tools.items()]
            waiting[:0] = [one for one in better if one not in tried]
        return None


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


def message_of(calls: Sequence[Call]) -> list[Message]:
    """The message that makes these calls, or says that there is none to make."""
    written = [call_message(call["name"], **call["arguments"])["tool_calls"][0] for call in calls]
    return [{"role": "assistant", "content": "" if calls else "None.", **({"tool_calls": written} if calls else {})}]


def _replaced(calls: Calls, tools: Mapping[str, dict[str, Any]], pairs: Sequence[Compared]) -> list[Calls]:
    """The calls with what stands opposite their own values: all at once, and whole calls where there are some."""
    sides = list(_sides(pairs))
    whole = [better for own, other in sides for better in _whole(calls, own, other)]
    parts = [_with_parts(call, tools, sides) for call in calls]
    return [*whole, *([parts] if parts != calls else [])]


def _whole(calls: Calls, own: Any, other: Any) -> Iterator[Calls]:
    """The calls that stand opposite all of these, or opposite one of them."""
    mine, wanted = calls_in(own), calls_in(other)
    if not mine or wanted is None or any(call not in calls for call in mine):
        return
    if len(mine) == len(calls) or len(wanted) > 1:
        yield wanted
    if len(mine) == len(wanted) == 1:
        yield [wanted[0] if call == mine[0] else call for call in calls]


def calls_in(value: Any) -> Calls | None:
    """The calls that a value is: objects with a name and arguments, or pairs of them; None where it is none."""
    if (one := _call_in(value)) is not None:
        return [one]
    if not isinstance(value, list | tuple):
        return None
    found = [_call_in(item) for item in value]
    return None if None in found else [call for call in found if call is not None]


def _call_in(value: Any) -> Call | None:
    if isinstance(value, Mapping):
        value = value["function"] if isinstance(value.get("function"), Mapping) else value
        value = (value.get("name"), value.get("arguments"))
    if isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str):
        given = _object(value[1])
        return None if given is None else {"name": value[0], "arguments": given}
    return None


def _object(value: Any) -> dict[str, Any] | None:
    """Arguments, as an object or as a text that is one in JSON."""
    if isinstance(value, str) and value.startswith("{"):
        value = read_json(value)
    return dict(value) if isinstance(value, Mapping) else None


def _with_parts(call: Call, tools: Mapping[str, dict[str, Any]], sides: Iterable[tuple[Any, Any]]) -> Call:
    """A call with what stands opposite its name, its arguments and each of their values."""
    better: Call = {"name": call["name"], "arguments": dict(call["arguments"])}
    for own, other in sides:
        if isinstance(own, str) and own == call["name"] and isinstance(other, str) and other in tools and other != own:
            better = {"name": other, "arguments": dict(tools[other])}
        elif isinstance(own, Mapping) and isinstance(other, Mapping):
            if own == call["arguments"]:
                better["arguments"] = dict(other)
            continue
        wanted = _one_of(other)
        for name, value in call["arguments"].items():
            if wanted is not None and (fitting := _in_place(value, own, wanted)) is not None:
                better["arguments"][name] = fitting
    return better


def _in_place(value: Any, own: Any, wanted: Any) -> Any:
    """What stands opposite a value of a call, or opposite a number that was written as a text; None if nothing does."""
    if type(own) is type(value) and own == value:
        return wanted
    if type(value) in (int, float) and own == str(value) and isinstance(wanted, str):
        try:
            return type(value)(wanted)
        except ValueError:
            return None
    return None


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
