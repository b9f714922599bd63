"""Rewards for the form of an answer: JSON fields, XML tags, a block of thoughts, valid tool calls."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from grpo_env_sdk.data.messages import texts_of_turns
from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards.answers import final_answer
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.types import without_none

_FAULTS_OF_A_CALL = ("unknown_tool", "malformed_call", "invalid_arguments")
_THINK = re.compile(r"\s*<think>(?P<thoughts>(?:(?!</?think>).)*)</think>(?P<answer>(?:(?!</?think>).)*)", re.DOTALL)


def json_fields(answer: str = "answer", *, weight: float = 1.0, name: str = "json_fields") -> Reward:
    """The share of fields in which the answer, a JSON object, equals the column; extra fields lower it."""

    def score(completion: Any, answer: Any, episode: Any = None) -> float:
        wanted = _object_in(answer) if isinstance(answer, str) else without_none(answer)
        if not isinstance(wanted, dict):
            raise ConfigError(
                f"json_fields needs a JSON object in the column, got {answer!r:.80}.",
                "Fill the column with dicts, or with JSON objects as text.",
            )
        given = _object_in(final_answer(completion, episode))
        if given is None:
            return 0.0
        if not isinstance(answer, str):
            given = without_none(given)
        names = {*wanted, *given}
        right = sum(1 for key in wanted if key in given and _same(given[key], wanted[key]))
        return right / len(names) if names else 1.0

    return Reward(score, name, weight, sources={"answer": answer})


def xml_tags(tags: Sequence[str], *, weight: float = 1.0, name: str = "xml_tags") -> Reward:
    """An equal part for each tag that occurs exactly once, with text in it, in the given order.

    Text after the last tag costs 0.001 per character, down to 0. Of several turns it is the mean.
    """

    if isinstance(tags, str) or not tags:
        raise ConfigError(f"xml_tags got {tags!r}.", 'Give a list of names, such as ["think", "answer"].')

    def in_order(text: str) -> float:
        spans = [_only_span(text, tag) for tag in tags]
        reached, right = 0, 0
        for span in spans:
            if span is not None and span[0] >= reached:
                reached, right = span[1], right + 1
        trailing = len(text[reached:].strip()) if right else 0
        return max(0.0, right / len(tags) - trailing / 1000)

    return Reward(_mean_of_turns(in_order), name, weight)


def think_format(*, weight: float = 1.0, name: str = "think_format") -> Reward:
    """1 if the text is one `<think>` block that is not empty, followed by an answer; the mean of several turns."""

    def thought_first(text: str) -> float:
        found = _THINK.fullmatch(text)
        return float(bool(found and found["thoughts"].strip() and found["answer"].strip()))

    return Reward(_mean_of_turns(thought_first), name, weight)


def valid_tool_calls(*, weight: float = 1.0, name: str = "valid_tool_calls") -> Reward:
    """The share of tool calls with a known name and valid arguments; abstains if no tool was called."""

    def score(tool_calls: list[dict[str, Any]]) -> float | None:
        if not tool_calls:
            return None
        return 1 - sum(call["error"] in _FAULTS_OF_A_CALL for call in tool_calls) / len(tool_calls)

    return Reward(score, name, weight)


def _mean_of_turns(judged: Callable[[str], float]) -> Callable[[Any], float]:
    """The mean over the turns of a completion, each judged by itself."""

    def score(completion: Any) -> float:
        values = [judged(text) for text in texts_of_turns(completion)]
        return sum(values) / len(values) if values else 0.0

    return score


def _only_span(text: str, tag: str) -> tuple[int, int] | None:
    opened, closed = f"<{tag}>", f"</{tag}>"
    if text.count(opened) != 1 or text.count(closed) != 1:
        return None
    start, end = text.index(opened), text.index(closed)
    return (start, end + len(closed)) if text[start + len(opened) : end].strip() else None


def _object_in(text: str) -> dict[str, Any] | None:
    """The JSON object in a text, which may have a code fence around it."""
    fenced = re.fullmatch(r"```(?:json)?\s*(.*?)\s*```", text, re.DOTALL)
    try:
        value = json.loads(fenced.group(1) if fenced else text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON, where 1 is 1.0 and True is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
