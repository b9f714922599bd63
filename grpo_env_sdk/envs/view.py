"""Asking an environment's `view` what the model reads."""

from collections.abc import Generator, Sequence
from typing import Any

from grpo_env_sdk.data.own_copy import own_copy
from grpo_env_sdk.data.viewed import checked_view
from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.isolation.author_code.arguments import takes
from grpo_env_sdk.isolation.calls.async_calls import through
from grpo_env_sdk.isolation.calls.tracebacks import name_of
from grpo_env_sdk.types import Message


def view_of(env: Any, messages: list[Message], turn: int) -> Any:
    """What the model reads of a transcript, checked, or an awaitable for it; the transcript itself stays as it is."""
    return through(_viewed(env, messages, turn))


def _viewed(env: Any, messages: list[Message], turn: int) -> Generator[Any, Any, list[Message]]:
    if (books := books_of(env)) and len(books.messages) != len(messages):  # those of an episode that is played again
        books.follow(messages, turn)
    known = {"opening": _opening(env, messages)} if takes(env.view, "opening") else {}
    found = yield env.view(own_copy(messages), **known)
    return checked_view(found, messages, name_of(env))


def _opening(env: Any, messages: Sequence[Message]) -> int:
    """How many messages came before the first turn; a user may have spoken after the reset."""
    books = books_of(env)
    after = range(books.opening if books else 0, len(messages))
    return next((place for place in after if messages[place]["role"] == "assistant"), len(messages))
