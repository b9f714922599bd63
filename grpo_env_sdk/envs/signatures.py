"""Whether the methods of a class take what they will be called with."""

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from grpo_env_sdk.envs.episode_books import books_of
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.calls.tracebacks import defined_at, name_of


def check_signatures(env: Any, scores_by_method: bool) -> None:
    """Raise a `ContractError` for a method that cannot be called the way that an episode calls it."""
    for name, called_with in _calls(env, scores_by_method):
        method: Any = getattr(env, name, None)
        if name == "step" and hasattr(method, "__wrapped__"):  # by the base class, around the author's own
            method = method.__wrapped__.__get__(env)
        if callable(method) and not (takes_all(method, called_with) and _in_order(method, called_with)):
            place = defined_at(method)
            given = ", ".join([*called_with, "**columns"] if name == "score_episode" else called_with)
            raise ContractError(
                f"{name_of(env)}.{name} takes {shown_parameters(method)}{place and f' ({place})'}.",
                f"It is called as {name}({given}).",
            )


def _calls(env: Any, scores_by_method: bool) -> Iterator[tuple[str, list[str]]]:
    """The methods that every episode of this class calls, each with the names of what it is given by position."""
    yield "build_dataset", ["tokenizer"]
    if scores_by_method:
        yield "score_episode", ["model", "tokenizer", "completion"]
    if books_of(env) is not None:
        yield "setup", ["row"]
        yield "step", ["action"]


def takes_all(method: Any, names: Sequence[str]) -> bool:
    """Whether it has room for so many arguments by position; that it needs others by name is not asked here."""
    try:
        parameters = inspect.signature(method, follow_wrapped=False).parameters.values()
    except (TypeError, ValueError):  # no readable signature
        return True
    by_position = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(by_position) >= len(names) or any(p.kind is p.VAR_POSITIONAL for p in parameters)


def _in_order(method: Any, names: Sequence[str]) -> bool:
    """Whether a parameter with the name of the last thing given gets it (`model` and `tokenizer` are often unread)."""
    try:
        named = list(inspect.signature(method, follow_wrapped=False).parameters)
    except (TypeError, ValueError):
        return True
    return names[-1] not in named or named.index(names[-1]) >= len(names) - 1


def shown_parameters(method: Any) -> str:
    """The names of its parameters, as an error shows them."""
    return f"({', '.join(inspect.signature(method, follow_wrapped=False).parameters)})"


def can_solve(env: Any) -> bool:
    """Whether it has a gold solution: a method `solve` that takes the row; another one is the author's own."""
    solve = getattr(env, "solve", None)
    return callable(solve) and takes_all(solve, ["row"])
