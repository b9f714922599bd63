"""What a policy answered, checked in one place before any of it reaches a record."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import index
from typing import Any

from grpo_env_sdk.data.own_copy import own_copy
from grpo_env_sdk.isolation.values.json_values import OBJECT, short_repr
from grpo_env_sdk.policies.policy import PolicyError
from grpo_env_sdk.types import Turn

_GIVEN_UP = ("abort", "error")
"""What servers such as vLLM say of an answer that they stopped: the model had not finished it."""


def turn_of(name: str, answer: Any) -> Turn:
    """The turn that a policy answered, which may be a text or a message too; raises where no record could keep it."""
    if isinstance(answer, str):
        return Turn({"role": "assistant", "content": answer})
    if isinstance(answer, OBJECT):
        answer = Turn({"role": "assistant", **answer})
    if not isinstance(answer, Turn):
        raise PolicyError(f"{name} answered {short_repr(answer)}, which is no Turn, no message and no text.")
    try:
        turn = _checked(answer)
    except (TypeError, ValueError) as exc:
        raise PolicyError(f"{name} answered with {exc}.") from None
    if turn.finish_reason in _GIVEN_UP:
        taken = {"prompt_tokens": turn.prompt_tokens or 0, "completion_tokens": turn.completion_tokens or 0}
        raise PolicyError(f"{name} gave up a turn ({turn.finish_reason}).", kind="aborted", usage=taken)
    return turn


def _checked(turn: Turn) -> Turn:
    """The turn with lists of its own, and with Python's numbers."""
    message = turn.message
    if isinstance(message, OBJECT):
        _check_message(message)
        message = {**message, "content": own_copy(message.get("content"))}
    if not isinstance(turn.finish_reason, str | None):
        raise TypeError(f"{short_repr(turn.finish_reason)} as finish_reason, which is a text")
    ids = _numbers("token_ids", turn.token_ids, index)
    logprobs = _numbers("logprobs", turn.logprobs, float)
    if ids is not None and logprobs is not None and len(ids) != len(logprobs):
        raise ValueError(f"{len(ids)} token_ids and {len(logprobs)} logprobs, which are one for each token")
    return replace(
        turn, message=message, token_ids=ids, logprobs=logprobs,
        prompt_tokens=_count("prompt_tokens", turn.prompt_tokens),
        completion_tokens=_count("completion_tokens", turn.completion_tokens), seconds=_seconds(turn.seconds),
    )  # fmt: skip


def _check_message(message: Any) -> None:
    content, calls = message.get("content"), message.get("tool_calls")
    parts = isinstance(content, list | tuple) and all(isinstance(part, OBJECT) for part in content)
    if not (content is None or isinstance(content, str) or parts):
        raise TypeError(f"{short_repr(content)} as content, which is a text or a list of parts")
    if not isinstance(calls, (*OBJECT, list, tuple, type(None))):
        raise TypeError(f"{short_repr(calls)} as tool_calls, which is a list of calls")


def _count(name: str, given: Any) -> int | None:
    if given is None:
        return None
    if not hasattr(given, "__index__") or index(given) < 0:
        raise TypeError(f"{short_repr(given)} as {name}, which is a whole number from 0")
    return index(given)


def _seconds(given: Any) -> float:
    if not hasattr(given, "__float__") or not 0 <= (seconds := float(given)) < math.inf:
        raise TypeError(f"{short_repr(given)} as seconds, which is a finite number from 0")
    return seconds


def _numbers(name: str, given: Iterable[Any] | None, number: Callable[[Any], Any]) -> list[Any] | None:
    try:
        return None if given is None else list(map(number, given))
    except (TypeError, ValueError):
        raise TypeError(f"{short_repr(given)} as {name}, which is a list of numbers") from None
