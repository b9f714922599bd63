"""Closing the instance of one episode, also where a call of it still runs in its thread."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.author_code.author_classes import close, may_close
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.calls.tracebacks import describe_error
from grpo_env_sdk.isolation.loops.env_loop import RunOverError
from grpo_env_sdk.rollout.env_calls import EnvCalls
from grpo_env_sdk.rollout.workplace import Workplace

CLOSE_SECONDS = 5.0


async def close_instance(hosts: Workplace, calls: EnvCalls, instance: Any) -> None:
    """Call its `close`, if it has one: now, or once the call that still runs is back."""
    if not may_close(instance):
        return
    seconds = min(hosts.call_seconds or CLOSE_SECONDS, CLOSE_SECONDS)

    def close_there() -> None:
        with _failure_noted(hosts):
            if calls.isolated:
                calls.isolated.call(close, instance)
            else:
                hosts.loaded.resources.loop.calling(seconds, "close", _closed, instance)

    if calls.hung:
        calls.once_back(close_there)
        return
    with _failure_noted(hosts):
        await calls.call(seconds, "close", close, instance)


def _closed(instance: Any) -> Any:
    closing = close(instance)
    return run_coroutine(closing) if inspect.isawaitable(closing) else closing


@contextmanager
def _failure_noted(hosts: Workplace) -> Iterator[None]:
    """The episode is recorded, however its instance closes."""
    what = f"{hosts.env.name}.close"
    try:
        yield
    except RunOverError:
        pass  # it has said how it ended, and nobody reads further notes
    except Exception as exc:
        failure = exc.message if isinstance(exc, DeadlineError) else f"{what} raised {describe_error(exc)}."
        hosts.loaded.resources.note_failure(what, failure)
