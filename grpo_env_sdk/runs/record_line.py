"""An episode as its line on disk, whatever its environment has put into the record."""

import json
from collections.abc import Callable
from dataclasses import MISSING, fields, replace
from functools import partial
from typing import Any

from grpo_env_sdk.images.image import is_image
from grpo_env_sdk.isolation.values.env_values import redacted
from grpo_env_sdk.isolation.values.error_text import MOST_CHARS, cut
from grpo_env_sdk.isolation.values.json_values import plain_copy
from grpo_env_sdk.runs.record_shapes import RefusedError, read_record
from grpo_env_sdk.types import Episode, Fault

Reference = Callable[[Any], Any]
_FIELDS = {item.name: item for item in fields(Episode)}
_STAGE = "record"
_KEYS = 4
"""How many keys of a record are emptied before all of it is."""


def record_line(episode: Episode, reference: Reference) -> tuple[Episode, bytes]:
    """The episode and its line; where nobody could read that again, its record as an error, without what is in the way.

    `reference` gives what refers to an image.
    """
    kept = episode
    for readable in (_without_what_is_refused, _without_what_is_no_json, *[_without_what_is_refused] * _KEYS, _bare):
        try:
            line = _line(kept, reference)
            read_record(line)
            return kept, line
        except (TypeError, ValueError, RecursionError) as exc:  # keys that are no text, cycles, numbers too long
            kept = readable(kept, exc)
    return kept, _line(kept, reference)


def as_recorded(value: Any, reference: Reference) -> Any:
    """A value, such as a row, as one reads it in a record."""
    return json.loads(_text(value, reference))


def _line(episode: Episode, reference: Reference) -> bytes:
    return _text(episode.as_json(), reference).encode("utf-8", "backslashreplace") + b"\n"


def _text(value: Any, reference: Reference) -> str:
    return redacted(json.dumps(value, ensure_ascii=False, default=partial(_form_of, reference)))


def _form_of(reference: Reference, value: Any) -> Any:
    if is_image(value):
        return reference(value)
    try:
        return cut(repr(value), MOST_CHARS)
    except BaseException:  # the author's own, also a `sys.exit`
        return f"<{type(value).__name__}>"


def _without_what_is_refused(episode: Episode, exc: Exception) -> Episode:
    """The episode as an error, with nothing at the key that no reader takes."""
    item = _FIELDS.get(exc.key) if isinstance(exc, RefusedError) else None
    if item is None or (item.default is MISSING and item.default_factory is MISSING):
        return episode
    empty: Any = item.default if item.default_factory is MISSING else item.default_factory()
    emptied: dict[str, Any] = {item.name: empty}
    text = f"The record cannot be kept: {exc}. Let the environment return such a value."
    return _failed(replace(episode, **emptied), exc, text)


def _without_what_is_no_json(episode: Episode, exc: Exception) -> Episode:
    copies = {
        name: plain_copy(getattr(episode, name)) for name in ("row", "messages", "tool_calls", "metrics", "tools")
    }
    faults = [f"{name}{path[1:]} {what}" for name, (_, found) in copies.items() for path, what in found]
    plain = {name: value for name, (value, _) in copies.items()}
    plain["messages"] = [
        message for message in plain["messages"] or () if isinstance(message, dict) and "role" in message
    ]
    opening = min(episode.opening, len(plain["messages"]))
    text = f"The record cannot be written as JSON: {'; '.join(faults[:3]) or exc}."
    return _failed(replace(episode, **plain, opening=opening, views=None), exc, text)


def _bare(episode: Episode, exc: Exception) -> Episode:
    """What is left of an episode of which nothing else can be kept."""
    bare = Episode(
        env=episode.env, version=episode.version, row_index=episode.row_index, sample=episode.sample, row={},
        seed=episode.seed, messages=[], opening=0, stop_reason="env_error",
    )  # fmt: skip
    return _failed(bare, exc, f"The record cannot be kept: {exc}.")


def _failed(episode: Episode, exc: Exception, text: str) -> Episode:
    kind = "ValueError" if isinstance(exc, RefusedError) else type(exc).__name__
    fault = Fault("environment", _STAGE, kind, cut(text, MOST_CHARS))
    if episode.error is not None and episode.error.stage == _STAGE:  # the first is the reason for the others
        fault = episode.error
    return replace(episode, stop_reason="env_error", reward=None, rewards={}, error=fault)
