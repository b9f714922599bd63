"""The prompts that the questions of somebody's data are: texts, or messages that are prompts already."""

import json
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.errors import DatasetError, GrpoEnvWarning
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.types import Message

_FORM = '[{"role": "user", "content": ...}]'
_ROLES = {"human": "user", "gpt": "assistant"}
"""The roles of ShareGPT that have other names."""


def asked_messages(column: Iterable[Any], name: str) -> list[Any]:
    """A column of questions with messages in one form where they are JSON text, in all rows, or those of ShareGPT."""
    asked = list(column)
    if all(isinstance(one, str) and one.lstrip().startswith("[") for one in asked):
        with suppress(ValueError, RecursionError):
            read = [_without_share_gpt(json.loads(one)) for one in asked]
            if all(map(_is_chat, read)):
                warnings.warn(
                    f"{name!r} is JSON text in every row: it is read as messages.", GrpoEnvWarning, stacklevel=3
                )
                return read
    return list(map(_without_share_gpt, asked))


def parted_answers(asked: list[Any], name: str) -> tuple[list[Any], list[str] | None]:
    """What is asked, and the answers, which are the last messages where the assistant has these in all rows."""
    if not all(_is_chat(one) and one[-1]["role"] == "assistant" for one in asked):
        return asked, None
    told = f"{name!r} ends with the assistant's message in every row: it is the answer, and those before it the prompt."
    warnings.warn(told, GrpoEnvWarning, stacklevel=3)
    return [one[:-1] for one in asked], [answer_text(one[-1]) for one in asked]


def _without_share_gpt(asked: Any) -> Any:
    """Messages such as `{"from": "human", "value": ...}` in the usual form; all else as it is."""
    if not isinstance(asked, list | tuple) or not all(_is_of_share_gpt(one) for one in asked):
        return asked
    return [{"role": _ROLES.get(one["from"], one["from"]), "content": one["value"]} for one in asked]


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


def _is_chat(asked: Any) -> bool:
    return isinstance(asked, list | tuple) and len(asked) > 0 and all(map(_is_message, asked))


def _is_message(one: Any) -> bool:
    return isinstance(one, Mapping) and isinstance(one.get("role"), str) and "content" in one


def _is_of_share_gpt(one: Any) -> bool:
    return isinstance(one, Mapping) and isinstance(one.get("from"), str) and "value" in one and "role" not in one
