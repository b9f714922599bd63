"""Whether the replies to a call with every value show which of them is right."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.tool_use.acts import Act
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

_YES = regex(r"\b(?:correct|right|yes|true|accepted|solved|well done)\b", re.IGNORECASE)
_NO = regex(r"\b(?:wrong|incorrect|not|no|false|rejected)\b", re.IGNORECASE)
_DIGITS = regex(r"\d+(?:\.\d+)?")


def says_which(episode: Episode, act: Act, parameter: str) -> bool:
    """Whether the reply to the right value is a yes, and those to all others are the same no."""
    calls = [call for call in episode.tool_calls if call["name"] == act.name and not call["error"]]
    replies: dict[bool, set[str]] = {True: set(), False: set()}
    for call in calls:
        value = call["arguments"].get(parameter)
        replies[value == act.arguments[parameter]].add(without_echo(call["content"], {parameter: value}))
    if len(replies[False]) != 1:
        return False
    return any(map(_YES.search, replies[True])) and any(map(_NO.search, replies[False]))


def same_replies(episode: Episode, name: str, parameter: str, right: Any) -> bool:
    """Whether no reply shows which of the values was right: wrong ones are answered too, and in the same way."""
    calls = [call for call in episode.tool_calls if call["name"] == name and not call["error"]]
    if all(call["arguments"].get(parameter) == right for call in calls):
        return False
    replies = {without_echo(call["content"], {parameter: call["arguments"].get(parameter)}) for call in calls}
    if len(replies) == 1 or len({call["content"] for call in calls}) == 1:
        return True
    return len({_beside(call, parameter) for call in calls}) == 1 or _only_grow(calls, parameter)


def _beside(call: Mapping[str, Any], parameter: str) -> str:
    """A reply with its numbers as far as they are from the one that was given: `from 9 to 10` for 9 is 0 to 1."""
    given = call["arguments"].get(parameter)
    if type(given) not in (int, float):
        return str(call["content"])
    return _DIGITS.sub(lambda number: f"{float(number[0]) - given:g}", str(call["content"]))


def _only_grow(calls: Sequence[Mapping[str, Any]], parameter: str) -> bool:
    """Whether replies are the same but for the values given, as those of a cart, and numbers that rise."""
    given = dict(enumerate(call["arguments"].get(parameter) for call in calls))
    texts = [without_echo(call["content"], given) for call in calls]
    numbers = [[float(number) for number in _DIGITS.findall(text)] for text in texts]
    same = len({re.sub(r"\W+", " ", _DIGITS.sub("", text)) for text in texts}) == 1
    same = same and len({len(one) for one in numbers}) == 1
    return same and all(list(column) == sorted(column) for column in zip(*numbers, strict=True))
