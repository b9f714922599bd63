"""What the replies of tools list, and what beside a value: the other items, or the same field of the other objects."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.late_patterns import regex

_SENTENCE, _BETWEEN = regex(r"[.?!](?:\s|$)|\n"), regex(r"[,;:]| (?:and|or) ")
_BEFORE_A_LIST = regex(r"\b(?:are|between|among|from|of|either|is)\s", re.IGNORECASE)
_QUOTES = " `'\"\u201c\u201d"
_THING = regex(r"[\w@./-]*\w")


def listed_beside(value: str | int, replies: Iterable[str]) -> Iterator[Any]:
    """The other values of its type in the place of this one, in lists and objects of JSON."""
    for reply in replies:
        pending = [read_json(reply)]
        while pending:
            part = pending.pop()
            pending += list(part.values()) if isinstance(part, dict) else part if isinstance(part, list) else []
            for column in _columns(part):
                alike = [item for item in column if type(item) is type(value)]
                if value in alike:
                    yield from (item for item in alike if item != value)


def named_beside(value: str | int, prompt: str) -> Iterator[str]:
    """The other names of as many words in a list of a prompt that has this one, such as `Ash, Elm and Oak`."""
    count = len(str(value).split())
    for sentence in _SENTENCE.split(prompt):
        first, *others = (name.strip(_QUOTES) for name in _BETWEEN.split(sentence))
        names = [_BEFORE_A_LIST.split(first)[-1].strip(_QUOTES), *others]
        if value in names:
            yield from (name for name in names if name != value and len(name.split()) == count)


def _columns(part: Any) -> Iterator[list[Any]]:
    """The values that stand side by side: keys, items of a list, or one field of all items."""
    if isinstance(part, dict):
        yield list(part)
    if isinstance(part, list):
        yield part
        objects = [item for item in part if isinstance(item, dict)]
        for name in objects[0] if objects else ():
            yield [item.get(name) for item in objects]


def things_in(reply: str) -> list[Any]:
    """The keys and values of a reply in JSON, else its words."""
    found = list(_keys_and_values(read_json(reply)))
    return found if len(found) > 1 else list(_THING.findall(reply))


def _keys_and_values(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _keys_and_values(one)
    elif isinstance(value, list):
        for one in value:
            yield from _keys_and_values(one)
    else:
        yield value
