"""Reward functions as TRL calls them: with the arguments that they take, and with their values checked."""

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Any

from grpo_env_sdk import Episode, GrpoEnvError
from grpo_env_sdk.ext import ContractError, EnvironmentFailedError, describe_error, run_coroutine
from grpo_env_trl import trl_facts

GIVEN = (
    "prompts",
    "completions",
    "completion_ids",
    "completions_ids",
    "episode",
    "trainer_state",
    "log_extra",
    "log_metric",
)
"""What TRL gives to every reward function, beside the columns of the rows."""
_FIX = "Fix it; `grpo-env train --resume RUN` continues from the last checkpoint."


def listed(rewards: Any) -> list[Any]:
    """A list of rewards; TRL takes a single one without a list too."""
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
    plain = _unwrapped(reward)
    return str(getattr(plain, "__name__", type(plain).__name__))


def is_model(reward: Any) -> bool:
    """Whether it is a loaded reward model, which TRL runs by itself."""
    return hasattr(reward, "parameters")


def is_ready(reward: Any) -> bool:
    """Whether it is a `Reward` of the SDK, which values one episode."""
    return hasattr(reward, "of") and hasattr(reward, "weight")


def of_trl(function: Any) -> bool:
    """Whether it is one of TRL's own, which read the first message of each completion."""
    plain = _unwrapped(function)
    return str(getattr(plain, "__module__", None) or type(plain).__module__).startswith(trl_facts.REWARDS)


def asked_for(function: Any) -> Mapping[str, inspect.Parameter]:
    """The parameters of a reward function by name."""
    return _parameters(function)


def of_episodes(reward: Any, episodes: Sequence[Episode]) -> list[Any]:
    """The values of a `Reward` of the SDK; None for an episode that failed."""

    async def valued(episode: Episode) -> Any:
        value = None if episode.error else reward.of(episode)
        return await value if inspect.isawaitable(value) else value

    async def all_of_them() -> list[Any]:
        return [await valued(episode) for episode in episodes]

    return run_coroutine(all_of_them())


def checked(function: Any, name: str) -> Callable[..., Any]:
    """The reward function under its log name; errors name it, and say what is wrong with its values."""
    takes = _taken_by(function)
    plain = _unwrapped(function)
    if inspect.iscoroutinefunction(plain) or inspect.iscoroutinefunction(type(plain).__call__):

        async def waited(**given: Any) -> list[float | None]:
            with _errors_of(name):
                return _numbers(await function(**takes(given)), len(given["completions"]), name)

        waited.__name__ = waited.__qualname__ = name
        return waited

    def called(**given: Any) -> list[float | None]:
        with _errors_of(name):
            return _numbers(function(**takes(given)), len(given["completions"]), name)

    called.__name__ = called.__qualname__ = name
    return called


def _taken_by(function: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """From all that TRL gives to what a function takes; without `**kwargs`, only the arguments that it names."""
    parameters = _parameters(function)
    takes_all = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    trl = of_trl(function)

    def taken(given: dict[str, Any]) -> dict[str, Any]:
        if trl:
            given = {**given, "completions": [_as_message(one) for one in given["completions"]]}
        return given if takes_all else {name: given[name] for name in given if name in parameters}

    return taken


def _as_message(completion: Any) -> list[dict[str, Any]]:
    """A completion as TRL's own functions read it: one message, the last of the assistant."""
    if isinstance(completion, str):
        return [{"role": "assistant", "content": completion}]
    said = [message for message in completion if message["role"] == "assistant"]
    last = said[-1] if said else {"role": "assistant"}
    content = last.get("content")
    return [{**last, "content": content if isinstance(content, str) else ""}]


@contextmanager
def _errors_of(name: str) -> Iterator[None]:
    try:
        yield
    except GrpoEnvError:
        raise
    except Exception as exc:  # of whoever wrote the function
        raise EnvironmentFailedError(f"The reward function {name!r} raised {describe_error(exc)}.", _FIX) from exc


def _numbers(values: Any, wanted: int, name: str) -> list[float | None]:
    """The values as numbers; an error if they are not one for each completion."""
    listed = None if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable) else list(values)
    if listed is None or len(listed) != wanted:
        got = f"{values!r:.80}" if listed is None else f"{len(listed)} values for {wanted} completions"
        raise ContractError(
            f"The reward function {name!r} returned {got}.",
            f"Return a list with a number, or None, for each of the {wanted} completions.",
        )
    return [_number(value, name) for value in listed]


def _number(value: Any, name: str) -> float | None:
    """A value as a number; None and NaN abstain, as for TRL."""
    if value is None:
        return None
    try:
        number = math.inf if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        number = math.inf
    if math.isinf(number):
        raise ContractError(
            f"The reward function {name!r} returned {value!r:.80} among its values.", "Return finite numbers, or None."
        )
    return None if math.isnan(number) else number


def _parameters(function: Any) -> Mapping[str, inspect.Parameter]:
    """The parameters of a function; `**kwargs` for one written in C that does not say."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {"kwargs": inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)}


def _unwrapped(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function
