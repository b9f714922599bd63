"""The user of a `ToolEnv`: whether its class has one, and what the user says to a caller of `env.step`."""

import inspect
from collections.abc import Generator, Sequence
from typing import Any, Literal

from grpo_env_sdk.data.messages import content_text
from grpo_env_sdk.envs.episode_books import EpisodeBooks, books_of
from grpo_env_sdk.envs.model_user import ModelUser, UserPrompt, someone_spoke
from grpo_env_sdk.errors import ContractError, UsageError
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.calls.tracebacks import defined_at, name_of
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.tools.tool import is_tool
from grpo_env_sdk.types import Message, Row

UserKind = Literal["none", "method", "model"]
"""Who speaks for the user: nobody, the method `user` of the class, or a model."""


def user_kind(env: Any) -> UserKind:
    """Who speaks for the user of an environment; any other attribute `user` belongs to the author."""
    books = books_of(env)
    if books is None or books.collect_tools is None:
        return "none"
    if isinstance(getattr(env, "user", None), ModelUser):
        return "model"
    method = getattr(type(env), "user", None)
    if isinstance(method, type):
        arguments = "policy, prompt" if method is ModelUser else "..."
        raise ContractError(
            f"{name_of(env)}.user is the class {method.__name__}.", f"Write user = {method.__name__}({arguments})."
        )
    return "method" if callable(method) and not is_tool(method) else "none"


def checked_words(said: Any, env: Any) -> str | None:
    """What a method `user` returned, if it is a text or None."""
    if said is None or (isinstance(said, str) and said.strip()):
        return said
    place = defined_at(env.user)
    raise ContractError(
        f"{name_of(env)}.user returned {short_repr(said)}{place and f' ({place})'}.",
        "Return a text; None ends the episode.",
    )


def prompt_of_user(env: Any, built: Any, row: Row) -> UserPrompt | None:
    """What the model that speaks in the episode of a row is to be, where one does; `setup` may set another prompt."""
    if user_kind(built) != "model":
        return None
    user: ModelUser = env.user
    if user.policy not in (None, built.user.policy):
        raise ContractError(
            f"{name_of(env)} names the policy of its user in an episode.",
            "Name it in the class; setup may set a prompt.",
        )
    return user.prompt_for(row)


def said_by_hand(env: Any, messages: list[Message]) -> Generator[Any, Any, str | None]:
    """What the user says to a caller of `env.step`, where a model is not asked; an async class awaits it."""
    books: EpisodeBooks = env._grpo
    if isinstance(env.user, ModelUser):
        if (answers := books.user) is None:
            raise UsageError(
                f"The user of {name_of(env)} is a model, which env.step does not ask.",
                "Step to_gymnasium(env) instead, or evaluate it.",
            )
        return answers(messages)
    said = env.user(list(messages))
    if inspect.isawaitable(said):
        said = (yield said) if books.is_async else run_coroutine(said)
    return checked_words(said, env)


def opened_by_user(env: Any, result: tuple[Any, dict[str, Any]]) -> Generator[Any, Any, tuple[Any, dict[str, Any]]]:
    """The result of `reset`, with the user's first words where the opening has only rules for the assistant."""
    books = books_of(env)
    if books is None or books.scored_by_caller or someone_spoke(books.messages) or user_kind(env) == "none":
        return result
    said = yield from said_by_hand(env, books.messages)
    if said is None:
        return result
    books.open([*books.messages, {"role": "user", "content": said}])
    return list(books.messages), result[1]


class RecordedWords:
    """The words of the user in a transcript, which is played again: what follows each answer without a call."""

    def __init__(self, transcript: Sequence[Message]) -> None:
        pairs = zip(transcript, [*transcript[1:], {}], strict=False)
        answers = [(said, after) for said, after in pairs if said["role"] == "assistant" and not said.get("tool_calls")]
        self._words = iter(
            [content_text(after["content"]) if after.get("role") == "user" else None for _, after in answers]
        )

    def __call__(self, messages: list[Message]) -> str | None:
        """The next words; None where the episode ended, and for first words, which no completion has."""
        return next(self._words, None) if messages[-1]["role"] == "assistant" else None
