"""The gold solution of one episode, message by message, as the author's `solve(row)` gives it."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.json_values import short_repr
from grpo_env_sdk.isolation.tracebacks import name_of
from grpo_env_sdk.types import Message, Row


class Solution:
    """Messages that are known beforehand, or a generator that yields them and is sent what they were answered."""

    def __init__(self, env: Any, row: Row) -> None:
        given = env.solve(row)
        self._generator: Any = given if inspect.isgenerator(given) else None
        if self._generator is None and not isinstance(given, Iterable):
            raise ContractError(
                f"{name_of(env)}.solve returned {short_repr(given)}.",
                "Return a text, an assistant's message, a list of them, or yield them.",
            )
        self._messages: Iterator[Any] = iter([given] if isinstance(given, str | Mapping) else given)
        self._seen = -1

    def next_message(self, transcript: list[Message]) -> Any:
        """What to say after this transcript; an empty text once everything is said."""
        if self._generator is None:
            return next(self._messages, "")
        answered = None if self._seen < 0 else transcript[self._seen :]
        self._seen = len(transcript) + 1
        try:
            return next(self._generator) if answered is None else self._generator.send(answered)
        except StopIteration as end:
            return end.value or ""
