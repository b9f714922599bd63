"""Ready views: what a model reads of a long transcript, to assign as `view = keep_last_turns(4)` on a class.

A view never touches the opening messages (the prompt, and what `reset` adds), and never parts a tool call from its
result. `chain` applies several, one after another.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from grpo_env_sdk.data.messages import places_of_turns
from grpo_env_sdk.errors import ConfigError, ContractError
from grpo_env_sdk.isolation.author_code.arguments import takes
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.types import Message

__all__ = [
    "ReadyView",
    "cap_observations",
    "chain",
    "drop_earlier_thoughts",
    "drop_old_tool_results",
    "keep_last_turns",
]

_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
"""Where servers and parsers put what a model thought."""


@dataclass(frozen=True)
class ReadyView:
    """A view to assign to a class, or to call in a `view` of your own: `keep_last_turns(4)(messages)`."""

    of_rest: Callable[[list[Message]], list[Message]]
    """What is read of the messages after the opening."""

    def __call__(self, messages: Sequence[Message], opening: int | None = None) -> list[Message]:
        """What the model reads; without `opening`, all messages before the first of the assistant open the episode."""
        if opening is None:
            turns = places_of_turns(messages)
            opening = turns[0] if turns else len(messages)
        return [*messages[:opening], *self.of_rest(list(messages[opening:]))]


def keep_last_turns(turns: int) -> ReadyView:
    """The last so many messages of the assistant, with everything that followed each of them."""
    return ReadyView(partial(_last_turns, _whole_number("keep_last_turns(turns)", turns, 1)))


def drop_old_tool_results(keep: int, note: str = "(This result was dropped.)") -> ReadyView:
    """The content of all but the last `keep` tool results is replaced by a note; the calls stay."""
    return ReadyView(partial(_without_old_results, _whole_number("drop_old_tool_results(keep)", keep, 0), note))


def cap_observations(characters: int) -> ReadyView:
    """Tool results and other messages of the environment are cut to so many characters, and a note says so."""
    return ReadyView(partial(_capped_observations, _whole_number("cap_observations(characters)", characters, 1)))


def drop_earlier_thoughts(keep_since_question: bool = True) -> ReadyView:
    """The thoughts of earlier turns are dropped, as the templates of reasoning models do when they are served.

    Those since the last message of the user stay, as with Qwen3; `keep_since_question=False` drops all, as R1 does.
    """
    return ReadyView(partial(_without_thoughts, keep_since_question))


def chain(*views: Callable[..., Any]) -> Callable[..., Any]:
    """Several views as one: each gets what the one before it returned."""
    ready = [view.of_rest for view in views if isinstance(view, ReadyView)]
    return ReadyView(partial(_one_after_another, ready)) if len(ready) == len(views) else _Chain(views)


@dataclass(frozen=True)
class _Chain:
    views: tuple[Callable[..., Any], ...]

    def __call__(self, messages: Sequence[Message], opening: int | None = None) -> Any:
        found: Any = list(messages)
        for view in self.views:
            found = view(found, opening=opening) if takes(view, "opening") else view(found)
            if not isinstance(found, list):
                raise ContractError(f"A view in chain(...) returned {short_repr(found)}.", "Return a list of messages.")
        return found


def _one_after_another(views: list[Callable[[list[Message]], list[Message]]], rest: list[Message]) -> list[Message]:
    for of_rest in views:
        rest = of_rest(rest)
    return rest


def _last_turns(turns: int, rest: list[Message]) -> list[Message]:
    places = places_of_turns(rest)
    return rest if len(places) <= turns else rest[places[-turns] :]


def _without_old_results(keep: int, note: str, rest: list[Message]) -> list[Message]:
    results = [place for place, message in enumerate(rest) if message["role"] == "tool"]
    old = set(results[: max(0, len(results) - keep)])
    return [{**message, "content": note} if place in old else message for place, message in enumerate(rest)]


def _capped_observations(characters: int, rest: list[Message]) -> list[Message]:
    return [
        message if message["role"] == "assistant" else _with_texts(message, partial(_cut, characters))
        for message in rest
    ]


def _without_thoughts(keep_since_question: bool, rest: list[Message]) -> list[Message]:
    asked = [place for place, message in enumerate(rest) if message["role"] == "user"]
    since = (asked[-1] if asked else 0) if keep_since_question else len(rest)
    return [*map(_thoughtless, rest[:since]), *rest[since:]]


def _thoughtless(message: Message) -> Message:
    if message["role"] != "assistant":
        return message
    said = {key: value for key, value in message.items() if key not in _THOUGHTS}
    return _with_texts(said, lambda text: text.rpartition("</think>")[2].lstrip("\n") if "</think>" in text else text)


def _with_texts(message: Message, change: Callable[[str], str]) -> Message:
    """The message with each text of its content changed."""
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": change(content)}
    if not isinstance(content, list):
        return message
    parts = [{**part, "text": change(part["text"])} if isinstance(part.get("text"), str) else part for part in content]
    return {**message, "content": parts}


def _cut(characters: int, text: str) -> str:
    left = len(text) - characters
    return f"{text[:characters]}\n({left:,} of {len(text):,} characters were cut.)" if left > 0 else text


def _whole_number(what: str, value: Any, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigError(f"{what} takes a whole number from {least}, got {value!r:.80}.", "Write it without quotes.")
    return value
