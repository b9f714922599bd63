"""What the replies of tools list beside a value: the other items of a list, or the same field of the other objects."""

import json
from collections.abc import Iterable, Iterator
from typing import Any


def listed_beside(value: str | int, replies: Iterable[str]) -> Iterator[Any]:
    """The other values of its type in the place of this one, in lists and objects of JSON."""
    for reply in replies:
        try:
            pending = [json.loads(reply)]
        except (ValueError, RecursionError):
            continue
        while pending:
            part = pending.pop()
            pending += list(part.values()) if isinstance(part, dict) else part if isinstance(part, list) else []
            for column in _columns(part):
                alike = [item for item in column if type(item) is type(value)]
                if value in alike:
                    yield from (item for item in alike if item != value)


def _columns(part: Any) -> Iterator[list[Any]]:
    """The values that stand side by side: keys, items of a list, or one field of all items."""
    if isinstance(part, dict):
        yield list(part)
    if isinstance(part, list):
        yield part
        objects = [item for item in part if isinstance(item, dict)]
        for name in objects[0] if objects else ():
            yield [item.get(name) for item in objects]
