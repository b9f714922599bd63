"""The method `user` of an environment, called for a host."""

from collections.abc import Awaitable, Callable
from typing import Any

from grpo_env_sdk.data.own_copy import own_copy
from grpo_env_sdk.envs.user_turns import checked_words
from grpo_env_sdk.rollout.commands import AskUser, UserSaid


async def ask_user(env: Any, command: AskUser, call: Callable[..., Awaitable[Any]]) -> UserSaid:
    """What the user says."""
    return UserSaid(checked_words(await call("user", env.user, own_copy(command.messages)), env))
