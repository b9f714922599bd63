"""The prompt that a question of somebody's data is: text, or messages that are one already."""

from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.errors import DatasetError
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.types import Message

_FORM = '[{"role": "user", "content": ...}]'


def asked_prompt(asked: Any, system: str | None, column: str, row: int) -> list[Message]:
    """The prompt of one row: the system message, and the question as a user message or its own messages."""
    opening: list[Message] = [{"role": "system", "content": system}] if system else []
    if not isinstance(asked, list | tuple | Mapping):
        return [*opening, {"role": "user", "content": "" if asked is None else str(asked)}]
    where = f"Row {row} of the data has in {column!r}"
    if isinstance(asked, Mapping) or not all(_is_message(one) for one in asked):
        raise DatasetError(f"{where} {short_repr(asked)}.", f"Give text, or messages: {_FORM}.")
    roles = [message["role"] for message in asked]
    if roles[-1:] == ["assistant"]:
        raise DatasetError(
            f"{where} messages that end with the assistant's, which the model would read.",
            f"Put it into a column of its own, and leave it out of {column!r}.",
        )
    if system and "system" in roles:
        raise DatasetError(f"{where} a system message of its own.", "Leave system=... out, or that message.")
    return [*opening, *map(dict, asked)]


def _is_message(one: Any) -> bool:
    return isinstance(one, Mapping) and isinstance(one.get("role"), str) and "content" in one
