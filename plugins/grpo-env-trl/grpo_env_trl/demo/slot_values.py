"""The values in messages: what changes from episode to episode, while the wording stays the same."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from grpo_env_sdk import Message
from grpo_env_sdk.ext import content_text, tool_calls_of

WORD = re.compile(r"\d+(?:\.\d+)?(?!\w)|\w+")
_LONGEST_NAME = 3
"""A text of more words is not a name but a sentence."""
_USUAL_SHARE = 0.9
"""A word that is in this share of all answers is not a value."""

Place = tuple[str, ...]
"""Where a value is: which argument of which tool, or which gap of which sentence."""
Change = Callable[[Place, Any], Any]


class Values:
    """Which words are values, found in conversations: numbers, ids, and what differs in calls, results and answers."""

    def __init__(self, conversations: Iterable[Sequence[Message]]) -> None:
        names: set[str] = set()
        words: set[str] = set()
        said: Counter[str] = Counter()
        answers = 0
        for messages in conversations:
            for message in messages:
                for path, leaf in _leaves_of(message):
                    names.update(path)
                    words.update(_name_words(leaf))
                if message["role"] == "assistant" and message.get("content"):
                    answers += 1
                    said.update(set(WORD.findall(text_of(message))))
        words.update(word for word, count in said.items() if count < _USUAL_SHARE * answers)
        self._words = words - names

    def __contains__(self, word: str) -> bool:
        return word in self._words or any(letter.isdigit() for letter in word)

    def changed(self, message: Message, change: Change) -> Message:
        """An assistant's message with each value replaced by `change(place, value)`."""
        calls = [
            {"function": {"name": call.name, "arguments": _changed(call.arguments, (call.name,), change)}}
            for call in tool_calls_of(message)
        ]
        return {
            "role": "assistant",
            "content": self._changed_text(text_of(message), change),
            "tool_calls": calls,
        }

    def _changed_text(self, text: str, change: Change) -> str:
        sentence = WORD.sub(lambda found: "\0" if found[0] in self else found[0], text)
        gaps = iter(range(len(text)))
        return WORD.sub(
            lambda found: str(change((sentence, str(next(gaps))), found[0])) if found[0] in self else found[0], text
        )


class AnyOf:
    """Which words are values in one environment of several."""

    def __init__(self, parts: Sequence[Values]) -> None:
        self._parts = parts

    def __contains__(self, word: str) -> bool:
        return any(word in part for part in self._parts)


def text_of(message: Message) -> str:
    """The text of a message."""
    return content_text(message.get("content"))


def _changed(value: Any, place: Place, change: Change) -> Any:
    if isinstance(value, dict):
        return {name: _changed(item, (*place, name), change) for name, item in value.items()}
    if isinstance(value, list):
        return [_changed(item, place, change) for item in value]
    return change(place, value)


def _leaves_of(message: Message) -> Iterator[tuple[Place, Any]]:
    """The values in the calls of a message, or in the JSON of a tool result, each with its path of names."""
    for call in tool_calls_of(message):
        yield from _leaves(call.arguments, (call.name,))
    if message["role"] == "tool":
        try:
            yield from _leaves(json.loads(text_of(message)), ())
        except (ValueError, RecursionError):
            yield (), text_of(message)


def _leaves(value: Any, path: Place) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _leaves(item, (*path, name))
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, path)
    else:
        yield path, value


def _name_words(leaf: Any) -> list[str]:
    words = WORD.findall(leaf) if isinstance(leaf, str) else []
    return words if len(words) <= _LONGEST_NAME else []
