"""What a caller gives as a policy: an object with `respond`, or a function of the request, plain or async."""

import inspect
import weakref
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.author_code.arguments import can_be_called
from grpo_env_sdk.isolation.calls.thread_pool import MOST_THREADS, ThreadPool
from grpo_env_sdk.policies.policy import Policy, Request, close_policy
from grpo_env_sdk.types import Message, Turn

Answer = Turn | Message | str
PolicyFunction = Callable[[Request], Answer | Awaitable[Answer]]

_HINT = "A policy is a function of the request, or an object with a respond(request)."


class GivenPolicy:
    """A function, or an object without a name or with a plain `respond`, as a policy; plain code runs in threads."""

    def __init__(self, given: Any, answer: Callable[[Request], Any]) -> None:
        self.name: str = _name_of(given)
        self.given, self._answer = given, answer
        self._threads = ThreadPool(MOST_THREADS)
        weakref.finalize(self, self._threads.close)  # where nobody closes it, as after `drive`

    def __getattr__(self, name: str) -> Any:
        """Whatever else the object has, such as a `live_model`."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.given, name)

    async def respond(self, request: Request) -> Any:
        """The answer to a transcript."""
        if _is_async(self._answer):
            return await self._answer(request)
        answer = await self._threads.call(None, self.name, self._answer, request)
        return await answer if inspect.isawaitable(answer) else answer

    async def close(self) -> None:
        """Close what was given, if it can be."""
        self._threads.close()
        await close_policy(self.given)


def policy_of(given: Any) -> Policy:
    """The policy that was given, or the one that a function is; raises where it cannot be one."""
    answer = getattr(given, "respond", None)
    if isinstance(given, type) and answer is not None:
        raise UsageError(f"{given.__name__} is a class, not a policy.", f"Create one: {given.__name__}().")
    answer = given if answer is None else answer
    if isinstance(given, type) or not callable(answer):
        raise UsageError(f"{given!r:.80} is not a policy.", _HINT)
    _check_takes_request(answer)
    return given if isinstance(given, Policy) and _is_async(answer) else GivenPolicy(given, answer)


def _is_async(function: Any) -> bool:
    return any(map(inspect.iscoroutinefunction, (function, getattr(function, "__call__", None))))  # noqa: B004


def _name_of(given: Any) -> str:
    named = given.func if isinstance(given, partial) else given
    return str(getattr(named, "name", None) or getattr(named, "__name__", type(named).__name__)).strip("<>")


def _check_takes_request(answer: Callable[..., Any]) -> None:
    if not can_be_called(answer, None):
        name, takes = getattr(answer, "__qualname__", type(answer).__name__), inspect.signature(answer)
        raise UsageError(f"A policy gets one argument, the request; {name} takes {takes}.", _HINT)
