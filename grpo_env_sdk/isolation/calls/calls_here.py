"""Calls of environment code in the thread of the event loop, for a process that is ended from outside if one hangs."""

import asyncio
import os
from asyncio.events import _set_running_loop
from collections.abc import Callable
from typing import Any

from grpo_env_sdk.isolation.calls.command_process import EnvCall
from grpo_env_sdk.isolation.calls.deadline import as_exception
from grpo_env_sdk.isolation.calls.process_lock import process_lock
from grpo_env_sdk.isolation.calls.thread_pool import ThreadPool


class CallsHere(ThreadPool):
    """Makes each call at once, as if no event loop ran here: a thread for it would cost as much as the rest of a step.

    Nobody looks at its deadline: whoever waits for this process has one of its own.
    """

    async def call(self, seconds: float | None, what: str, function: Callable[..., Any], *args: Any) -> Any:
        """What the function returns or raises."""
        pid, loop = os.getpid(), asyncio.get_running_loop()
        process_lock.begin_call()
        _set_running_loop(None)
        try:
            with EnvCall(what, seconds):
                return function(*args)
        except BaseException as exc:  # SystemExit too: environment code must not end our process
            if (error := as_exception(exc)) is exc:
                raise
            raise error from exc
        finally:
            if os.getpid() != pid:  # the call has forked: the loop belongs to the process that it came from
                os._exit(0)
            _set_running_loop(loop)
