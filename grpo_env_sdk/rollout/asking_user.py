"""The method `user` of an environment, called for a host."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from grpo_env_sdk.envs.user_turns import checked_words
from grpo_env_sdk.isolation.async_calls import awaited_within, run_coroutine
from grpo_env_sdk.isolation.tracebacks import name_of
from grpo_env_sdk.rollout.commands import AskUser, UserSaid


async def ask_user(
    env: Any, command: AskUser, call: Callable[..., Awaitable[Any]], seconds: float | None, in_thread: bool
) -> UserSaid:
    """What the user says, in so many seconds; an async method is awaited `in_thread` where its state is isolated."""

    def asked() -> Any:
        said = env.user(list(command.messages))
        return run_coroutine(said) if in_thread and inspect.isawaitable(said) else said

    said = await call("user", asked)
    if inspect.isawaitable(said):
        said = await awaited_within(seconds, f"{name_of(env)}: user", said)
    return UserSaid(checked_words(said, env))
