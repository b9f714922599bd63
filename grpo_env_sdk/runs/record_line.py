"""An episode as its line on disk, whatever its environment has put into the record."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from grpo_env_sdk.images.image import is_image
from grpo_env_sdk.isolation.error_text import MOST_CHARS, cut
from grpo_env_sdk.isolation.json_values import plain_copy
from grpo_env_sdk.types import Episode, Fault

Reference = Callable[[Any], Any]


def record_line(episode: Episode, reference: Reference) -> tuple[Episode, str]:
    """The episode and its JSON; where JSON has no form for it, its record as an error, without what has none.

    `reference` gives what refers to an image.
    """
    try:
        return episode, _text(episode, reference)
    except (TypeError, ValueError, RecursionError) as exc:  # keys that are no text, cycles, numbers too long
        failed = _without_what_is_no_json(episode, exc)
        return failed, _text(failed, reference)


def _text(episode: Episode, reference: Reference) -> str:
    return json.dumps(episode.as_json(), ensure_ascii=False, default=partial(_form_of, reference))


def _form_of(reference: Reference, value: Any) -> Any:
    if is_image(value):
        return reference(value)
    try:
        return cut(repr(value), MOST_CHARS)
    except BaseException:  # the author's own, also a `sys.exit`
        return f"<{type(value).__name__}>"


def _without_what_is_no_json(episode: Episode, exc: Exception) -> Episode:
    fields = {
        name: plain_copy(getattr(episode, name)) for name in ("row", "messages", "tool_calls", "metrics", "tools")
    }
    faults = [f"{name}{path[1:]} {what}" for name, (_, found) in fields.items() for path, what in found]
    text = f"The record cannot be written as JSON: {'; '.join(faults[:3]) or exc}."
    fault = Fault("environment", "record", type(exc).__name__, cut(text, MOST_CHARS))
    plain = {name: value for name, (value, _) in fields.items()}
    plain["messages"] = [
        message for message in plain["messages"] or () if isinstance(message, dict) and "role" in message
    ]
    opening = min(episode.opening, len(plain["messages"]))
    return replace(
        episode, **plain, opening=opening, views=None, stop_reason="env_error", reward=None, rewards={}, error=fault
    )
