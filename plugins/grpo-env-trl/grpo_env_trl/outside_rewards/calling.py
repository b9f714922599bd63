"""Reward functions as TRL calls them: with the arguments that they take, and with their values checked."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Any

from grpo_env_sdk import Episode, GrpoEnvError
from grpo_env_sdk.ext import (
    EnvironmentFailedError,
    arguments_taken,
    describe_error,
    form_hint,
    function_name,
    is_async,
    numbers_for,
    run_coroutine,
)

_FIX = "Fix it; `grpo-env train --resume RUN` continues a run of that command from its last checkpoint."


def listed(rewards: Any) -> list[Any]:
    """A list of rewards; TRL takes a single one without a list too."""
    if rewards is None:
        return []
    return [*rewards] if isinstance(rewards, list | tuple) else [rewards]


def log_names(rewards: Iterable[Any], taken: Iterable[str], of_models: bool = True) -> list[str]:
    """The name under which each reward is logged: its own, with a number where another has the same.

    Args:
        of_models: Whether models may get a number; not where TRL looks for a tokenizer under their name.
    """
    found, used = [], {*taken}
    for reward in rewards:
        name = name_of(reward)
        if of_models or not (isinstance(reward, str) or is_model(reward)):
            numbered = chain([name], (f"{name}_{number}" for number in count(2)))
            name = next(each for each in numbered if each not in used)
        found.append(name)
        used.add(name)
    return found


def name_of(reward: Any) -> str:
    """The name of a function, of the class of an object that is called, or of a reward model."""
    if isinstance(reward, str):
        return Path(reward).name
    if is_model(reward):
        return Path(getattr(reward.config, "_name_or_path", "")).name or type(reward).__name__
    if is_ready(reward):
        return str(reward.name)
    return function_name(reward)


def is_model(reward: Any) -> bool:
    """Whether it is a loaded reward model, which TRL runs by itself."""
    return hasattr(reward, "parameters")


def is_ready(reward: Any) -> bool:
    """Whether it is a `Reward` of the SDK, which values one episode."""
    return hasattr(reward, "of") and hasattr(reward, "weight")


def of_episodes(reward: Any, episodes: Sequence[Episode]) -> list[Any]:
    """The values of a `Reward` of the SDK; None for an episode that failed."""

    async def valued(episode: Episode) -> Any:
        value = None if episode.error else reward.of(episode)
        return await value if inspect.isawaitable(value) else value

    async def all_of_them() -> list[Any]:
        return [await valued(episode) for episode in episodes]

    return run_coroutine(all_of_them())


def checked(
    function: Any, name: str, before: Callable[[dict[str, Any]], dict[str, Any]] = dict,
    after: Callable[[list[float | None], dict[str, Any]], list[float | None]] = lambda values, given: values,
) -> Callable[..., Any]:  # fmt: skip
    """The reward function under its log name; errors name it, and say what is wrong with its values.

    Args:
        before: What it may take, from what TRL passes.
        after: What TRL gets, from its values and what it could take.
    """
    takes = arguments_taken(function)
    if is_async(function):

        async def waited(**passed: Any) -> list[float | None]:
            given = before(passed)
            with _errors_of(name):
                values = numbers_for(await function(**takes(given)), len(given["completions"]), name)
            return after(values, given)

        waited.__name__ = waited.__qualname__ = name
        return waited

    def called(**passed: Any) -> list[float | None]:
        given = before(passed)
        with _errors_of(name):
            values = numbers_for(function(**takes(given)), len(given["completions"]), name)
        return after(values, given)

    called.__name__ = called.__qualname__ = name
    return called


@contextmanager
def _errors_of(name: str) -> Iterator[None]:
    try:
        yield
    except GrpoEnvError:
        raise
    except Exception as exc:  # of whoever wrote the function
        hint = form_hint(type(exc).__name__, str(exc)) or _FIX
        raise EnvironmentFailedError(f"The reward function {name!r} raised {describe_error(exc)}.", hint) from exc
