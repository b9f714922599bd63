"""Secrets that are never written to disk: the values of `env:NAME` in a config, and keys of servers."""

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.errors import ConfigError

_REFERENCE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
_SHORTEST_SECRET = 4  # replacing `1` in every record would make it unreadable

_shown: dict[str, str] = {}
"""Every form of every secret of this process, as plain text, in JSON or in a `repr`, and what is shown instead."""


def references_in(value: Any) -> Iterator[str]:
    """Every `env:NAME` in a config, however deep."""
    if isinstance(value, str) and _REFERENCE.fullmatch(value):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from references_in(item)


def resolved(value: Any) -> Any:
    """The config with the values of its references."""
    if isinstance(value, str) and (reference := _REFERENCE.fullmatch(value)):
        return _value_of(value, reference[1])
    if isinstance(value, dict):
        return {key: resolved(item) for key, item in value.items()}
    return [resolved(item) for item in value] if isinstance(value, list) else value


def redacted(text: str) -> str:
    """The text with every resolved value as its reference again and without keys, also inside JSON and `repr`."""
    for form, shown in _shown.items():
        text = text.replace(form, shown)
    return text


def hide(secret: str, shown: str = "***") -> None:
    """From now on, write and print something else in the place of a secret."""
    forms = (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1])
    new = {form: shown for form in forms if form not in _shown}
    if new:  # the longest first, as one may be a part of another
        longest_first = sorted({**_shown, **new}.items(), key=lambda item: -len(item[0]))
        _shown.clear()
        _shown.update(longest_first)


def _value_of(reference: str, name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise ConfigError(
            f"The config has {reference!r}, and the environment variable {name} is not set.", f"export {name}=..."
        )
    if len(value) >= _SHORTEST_SECRET:
        hide(value, reference)
    return value
