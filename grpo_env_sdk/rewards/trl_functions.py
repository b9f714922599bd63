"""Reward functions in the manner of TRL, `f(completions, **columns) -> list`, and one of them as a reward."""

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from grpo_env_sdk.errors import ConfigError, ContractError
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.types import Episode, Range

TRL_ARGUMENTS = (
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
_TRL = "trl.rewards"
_IDS = ("completion_ids", "completions_ids")
_NO_TRAINER = "An environment is also scored where nothing is trained."
_TO_TRAINING = "Give it to the training: --reward-func MODULE:FUNCTION, or reward_funcs=[...]."


def from_trl(
    function: Callable[..., Any], *, weight: float = 1.0, name: str | None = None, range: Range = (0.0, 1.0)
) -> Reward:
    """A reward of an environment from a function as TRL has them, called with one completion and one row at a time.

    ```python
    rewards = [from_trl(accuracy_reward), from_trl(my_function, weight=0.2)]
    ```

    A function that asks for `completion_ids` abstains where the tokens are unknown. `environments` is a list of the
    environment's instance, as TRL gives with an `environment_factory`. There is no `trainer_state`, and
    what is logged with `log_metric` and `log_extra` is not kept: those are for a reward of the training.
    """
    if not callable(function) or isinstance(function, type) or hasattr(function, "parameters"):
        raise ConfigError(
            f"{function!r:.80} is not a reward function.",
            "Give a function; reward models are for `grpo-env train --reward-model`.",
        )
    asks, named = asked_for(function), name or function_name(function)
    if "completion" in asks:
        raise ConfigError(
            f"The reward function {named!r} asks for 'completion'.",
            "TRL gives `completions`, a list; so from_trl does.",
        )
    trained = asks.get("trainer_state")
    if trained is not None and trained.default is trained.empty:
        raise ConfigError(f"The reward function {named!r} asks for 'trainer_state'. {_NO_TRAINER}", _TO_TRAINING)
    by_tokens, of_batch = not asks.keys().isdisjoint(_IDS), BatchFunction(function, named)

    async def waited(values: Any) -> float | None:
        return (await values)[0]  # type: ignore[no-any-return]  # numbers_for has checked them

    def score(completion: Any, episode: Episode, state: Any = None, **columns: Any) -> Any:
        if by_tokens and not episode.token_ids:
            return None
        values = of_batch([completion], [episode], [state])
        return waited(values) if inspect.isawaitable(values) else values[0]

    score.__signature__ = _signature(function)  # type: ignore[attr-defined]  # columns that it asks for are checked
    score.of_batch = of_batch  # type: ignore[attr-defined]  # `batch_function` finds it
    return Reward(score, named, weight, range)


class BatchFunction:
    """A function of TRL, called with any number of completions of recorded episodes."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function, self.name = function, name
        self.reads_environments = "environments" in asked_for(function)
        """Whether it reads instances of the environment, which no record has."""
        self._takes, self._has_no_trainer = arguments_taken(function), "trainer_state" in asked_for(function)

    def __call__(self, completions: Sequence[Any], episodes: Sequence[Episode], states: Sequence[Any] = ()) -> Any:
        """A number or None for each completion, or an awaitable of them."""
        given = self._takes({"environments": list(states), **_as_batch(completions, episodes, self.name)})
        if self._has_no_trainer:
            del given["trainer_state"]
        values, wanted = self.function(**given), len(completions)
        return self._waited(values, wanted) if is_async(self.function) else numbers_for(values, wanted, self.name)

    async def _waited(self, values: Any, wanted: int) -> list[float | None]:
        return numbers_for(await values, wanted, self.name)


def batch_function(reward: Reward) -> BatchFunction | None:
    """The function of TRL that a reward of `from_trl` calls; None for every other reward."""
    return getattr(reward.function, "of_batch", None)


def arguments_taken(function: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """From all that TRL gives to what a function takes; without `**kwargs`, only the arguments that it names."""
    parameters = asked_for(function)
    takes_all = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    trl = of_trl(function)

    def taken(given: dict[str, Any]) -> dict[str, Any]:
        if trl:
            given = {**given, "completions": [_as_message(one) for one in given["completions"]]}
        return given if takes_all else {name: given[name] for name in given if name in parameters}

    return taken


def numbers_for(values: Any, wanted: int, name: str) -> list[float | None]:
    """The values as numbers; an error if they are not one for each completion."""
    listed = None if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable) else list(values)
    if listed is None or len(listed) != wanted:
        got = f"{values!r:.80}" if listed is None else f"{len(listed)} values for {wanted} completions"
        raise ContractError(
            f"The reward function {name!r} returned {got}.",
            f"Return a list with a number, or None, for each of the {wanted} completions.",
        )
    return [_number(value, name) for value in listed]


def asked_for(function: Any) -> Mapping[str, inspect.Parameter]:
    """The parameters of a reward function by name; `**kwargs` for one written in C that does not say."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {"kwargs": inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)}


def function_name(function: Any) -> str:
    """The name of a function, or of the class of an object that is called."""
    plain = _unwrapped(function)
    return str(getattr(plain, "__name__", type(plain).__name__))


def is_async(function: Any) -> bool:
    """Whether a call of it has to be awaited."""
    plain = _unwrapped(function)
    return inspect.iscoroutinefunction(plain) or inspect.iscoroutinefunction(type(plain).__call__)


def of_trl(function: Any) -> bool:
    """Whether it is one of TRL's own, which read the first message of each completion."""
    plain = _unwrapped(function)
    return str(getattr(plain, "__module__", None) or type(plain).__module__).startswith(_TRL)


class _NoTrainer:
    """In place of the trainer's state: whatever is read of it fails its episode."""

    def __init__(self, function: str) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what libraries look for in any object
            raise AttributeError(name)
        raise ContractError(
            f"The reward function {self._function!r} reads trainer_state.{name}. {_NO_TRAINER}", _TO_TRAINING
        )


def _as_batch(completions: Sequence[Any], episodes: Sequence[Episode], function: str) -> dict[str, Any]:
    """What TRL gives for a batch of these episodes, which have the same columns."""
    ids = [list(chain.from_iterable(episode.token_ids or ())) for episode in episodes]
    columns = [name for name in episodes[0].row if name not in ("prompt", "completion")]
    return {
        **{name: [episode.row[name] for episode in episodes] for name in columns},
        "prompts": [episode.row["prompt"] for episode in episodes], "completions": list(completions),
        "completion_ids": ids, "completions_ids": ids, "episode": list(episodes),
        "trainer_state": _NoTrainer(function), "log_extra": lambda *args, **kwargs: None,
        "log_metric": lambda *args, **kwargs: None,
    }  # fmt: skip


def _signature(function: Any) -> inspect.Signature:
    """The columns that a function asks for, as a reward asks for them."""
    columns = [
        each.replace(kind=each.KEYWORD_ONLY)
        for each in asked_for(function).values()
        if each.name not in (*TRL_ARGUMENTS, "environments")
        and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
    ]
    ours = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("completion", "episode", "state")
    ]
    return inspect.Signature([*ours, *columns])


def _as_message(completion: Any) -> list[dict[str, Any]]:
    """A completion as TRL's own functions read it: one message, the last of the assistant."""
    if isinstance(completion, str):
        return [{"role": "assistant", "content": completion}]
    said = [message for message in completion if message["role"] == "assistant"]
    last = said[-1] if said else {"role": "assistant"}
    content = last.get("content")
    return [{**last, "content": content if isinstance(content, str) else ""}]


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


def _unwrapped(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function
