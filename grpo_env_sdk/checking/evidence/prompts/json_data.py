"""Data that texts are in JSON, and what is at its ends."""

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

Path = tuple[str | int, ...]
"""The keys and places that lead to a part of data."""
_DEEPEST = 100
NO_JSON = object()
"""What to ask `read_json` for where `null` differs from a text that is no JSON."""


def read_json(text: Any, otherwise: Any = None) -> Any:
    """The data that a text is in JSON; `otherwise` where it is none, or nested too deeply for what walks over it."""
    try:
        data = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return otherwise
    return otherwise if _is_too_deep(data) else data


def _is_too_deep(data: Any) -> bool:
    level = [data]
    for _ in range(_DEEPEST):
        parts = (part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list))
        level = list(chain.from_iterable(parts))
        if not level:
            return False
    return True


def leaves(value: Any, most: int | None = None) -> Iterator[tuple[Path, Any]]:
    """What data holds that is no object and no list, with the path to it; of each object and list the first `most`."""
    pending: list[tuple[Path, Any]] = [((), value)]
    while pending:
        path, part = pending.pop()
        if isinstance(part, Mapping):
            held = list(part.items())
        elif isinstance(part, list | tuple):
            held = list(enumerate(part))
        else:
            yield path, part
            continue
        pending += [((*path, key), one) for key, one in reversed(held[:most])]


def written_path(path: Path) -> str:
    """A path as code writes it: `.orders[0].id`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
