"""The gold solution of one episode, message by message, as the author's `solve(row)` gives it."""

import inspect
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

from grpo_env_sdk.data.own_copy import own_copy
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.calls.async_calls import through
from grpo_env_sdk.isolation.calls.tracebacks import name_of
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.types import Message, Row


class Solution:
    """Messages that are known beforehand, or a generator that yields them and is sent what they were answered.

    `solve` may be plain, a coroutine function, a generator or an async generator.
    """

    def __init__(self, env: Any, row: Row) -> None:
        self._env, self._row = env, row
        self._generator: Any = None
        self._messages: Iterator[Any] | None = None
        self._seen = -1

    def next_message(self, transcript: list[Message]) -> Any:
        """What to say after this transcript, or an awaitable of it; an empty text once everything is said.

        A number, such as the answer of a row, is said as its text.
        """
        return through(self._said(transcript))

    def _said(self, transcript: list[Message]) -> Generator[Any, Any, Any]:
        given = yield from self._next(transcript)
        return str(given) if isinstance(given, int | float) else given

    def _next(self, transcript: list[Message]) -> Generator[Any, Any, Any]:
        if self._messages is None and self._generator is None:
            self._take((yield self._env.solve(self._row)))
        if self._messages is not None:
            return next(self._messages, "")
        answered = None if self._seen < 0 else own_copy(transcript[self._seen :])
        self._seen = len(transcript) + 1
        try:
            if hasattr(self._generator, "asend"):
                return (yield self._generator.asend(answered))
            return self._generator.send(answered if _takes_answers(self._generator) else None)
        except StopIteration as end:
            return "" if end.value is None else end.value
        except StopAsyncIteration:
            return ""

    def _take(self, given: Any) -> None:
        if inspect.isgenerator(given) or inspect.isasyncgen(given):
            self._generator = given
        elif isinstance(given, Iterable | int | float):
            self._messages = iter([given] if isinstance(given, str | Mapping | int | float) else given)
        else:
            raise ContractError(
                f"{name_of(self._env)}.solve returned {short_repr(given)}.",
                "Return a text, an assistant's message, a list of them, or yield them.",
            )


def _takes_answers(generator: Any) -> bool:
    """Whether what it stands at can be sent something: a list in `yield from` cannot."""
    inner = generator.gi_yieldfrom
    return _takes_answers(inner) if inspect.isgenerator(inner) else inner is None or hasattr(inner, "send")
