"""A reward: a named, weighted function that gets its arguments by name."""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from types import MappingProxyType
from typing import Any, TypeVar, overload

from grpo_env_sdk.data.messages import completion_of
from grpo_env_sdk.errors import ContractError, UnknownNameError, did_you_mean
from grpo_env_sdk.isolation.author_code.arguments import parameters_of, suggesting_names
from grpo_env_sdk.isolation.author_code.author_classes import by_authors, on_class
from grpo_env_sdk.isolation.calls.tracebacks import called_at, defined_at, name_of
from grpo_env_sdk.rewards.named_parts import check_parts
from grpo_env_sdk.rewards.score_rule import RewardPart
from grpo_env_sdk.types import Episode
from grpo_env_sdk.types import Range as Range

F = TypeVar("F", bound=Callable[..., Any])

RESERVED = ("completion", "messages", "row", "episode", "state", "tool_calls")
"""Arguments that every reward may ask for; they take precedence over columns of the same name."""
_OF_BATCHES = ("completions", "prompts")
"""What a reward function of TRL asks for."""
_FOR_BATCHES = (
    "It gets one `completion`; a function that takes lists, as those for TRL do, is listed as rewards = [from_trl(it)]."
)
_READY = "grpo_env_sdk.rewards."
_NEVER_SELF = ("completion", "messages", "row", "episode", "tool_calls", *_OF_BATCHES)


@dataclass(frozen=True)
class Reward:
    """A named, weighted function of an episode; `sources` maps arguments to other columns."""

    function: Callable[..., Any]
    name: str
    weight: float = 1.0
    range: Range = (0.0, 1.0)
    sources: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, float] | None = None
    """The weights of named values, where the function returns a dict of them."""
    column_hint: str = field(repr=False, compare=False, default="")
    """What to do where a column that it asks for is missing, if its author has not written the name."""
    place: str = field(init=False, repr=False, compare=False, default="")
    """Where the author creates it, if the function is ours; else the function's place says more."""

    def __post_init__(self) -> None:
        if not isinstance(self.weight, Real) or not math.isfinite(self.weight):
            raise ContractError(f"The weight of {self.name!r} is {self.weight!r}.", "Give a finite number.")
        if not _is_range(self.range):
            raise ContractError(
                f"The range of {self.name!r} is {self.range!r}.", "Give (lowest, highest), as in (0, 1)."
            )
        if self.parts is not None:
            check_parts(self.name, self.parts)
        if str(getattr(self.function, "__module__", "")).startswith(_READY):
            object.__setattr__(self, "place", called_at())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself, to try a reward by hand."""
        return self.function(*args, **kwargs)

    @cached_property
    def part(self) -> RewardPart:
        """Its part of a score rule."""
        return RewardPart(self.name, float(self.weight), self.range)

    def bound(self, function: Callable[..., Any]) -> "Reward":
        """The same reward for a method of one instance, without checking it again."""
        bound = object.__new__(type(self))
        bound.__dict__.update(vars(self), part=self.part, function=function)
        bound.__dict__.pop("_parameters", None)
        return bound

    @cached_property
    def _parameters(self) -> list[inspect.Parameter]:
        return parameters_of(self.function)

    def check(self, columns: Iterable[str]) -> None:
        """Raise if the function asks for something that is neither a column nor a reserved name."""
        method = getattr(self.function, "__func__", None)
        if method is not None and (first := next(iter(inspect.signature(method).parameters), "")) in _NEVER_SELF:
            raise ContractError(
                f"The reward {self.name!r} begins with {first!r}, and a method with self ({defined_at(method)}).",
                _FOR_BATCHES if first in _OF_BATCHES else f"Write def {method.__name__}(self, {first}, ...).",
            )
        check_columns(
            self._parameters, columns, f"The reward {self.name!r}", self.function, self.sources, self.place,
            self.column_hint,
        )  # fmt: skip

    def call(self, offered: Mapping[str, Any]) -> Any:
        """Call the function with those of `offered` that it names, or with all if it takes `**kwargs`."""
        given: dict[str, Any] = {}
        for parameter in self._parameters:
            source = self.sources.get(parameter.name, parameter.name)
            if parameter.kind is parameter.VAR_KEYWORD:
                given = {**offered, **given}
            elif source in offered:
                given[parameter.name] = offered[source]
        return self.function(**given)

    def of(self, episode: Episode) -> Any:
        """The value for an ended episode, or an awaitable of it; without the environment, `state` is None."""
        return self.call(offered_by(episode))


def offered_by(episode: Episode, state: Any = None) -> dict[str, Any]:
    """What rewards may ask for: every column of the row, and the reserved names."""
    return {
        **episode.row, "completion": completion_of(episode), "messages": episode.messages, "row": episode.row,
        "episode": episode, "state": state, "tool_calls": episode.tool_calls,
    }  # fmt: skip


def _is_range(given: Any) -> bool:
    try:
        low, high = given
        return bool(low <= high)
    except (TypeError, ValueError):
        return False


def check_columns(
    parameters: Iterable[inspect.Parameter], columns: Iterable[str], whose: str, function: Callable[..., Any],
    sources: Mapping[str, str] = MappingProxyType({}), place: str = "", hint: str = "",
) -> None:  # fmt: skip
    """Raise if a required parameter names neither a column nor a reserved name; without a `hint`, columns are named."""
    columns = list(columns)
    for parameter in parameters:
        name = sources.get(parameter.name, parameter.name)
        by_name = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        if by_name and parameter.default is parameter.empty and name not in (*columns, *RESERVED):
            place = place or defined_at(function)
            raise UnknownNameError(
                f"{whose} asks for {name!r}, which is not a column{place and f' ({place})'}.",
                hint
                or (_FOR_BATCHES if name in _OF_BATCHES else did_you_mean(name, columns))
                or did_you_mean(name, RESERVED)
                or f"It may ask for {', '.join(dict.fromkeys((*columns, *RESERVED)))}.",
            )


@overload
def reward(function: F) -> F: ...


@overload
def reward(
    *, weight: float = 1.0, name: str | None = None, range: Range = (0.0, 1.0), parts: Mapping[str, float] | None = None
) -> Callable[[F], F]: ...


@suggesting_names
def reward(
    function: Any = None, *, weight: float = 1.0, name: str | None = None, range: Range = (0.0, 1.0),
    parts: Mapping[str, float] | None = None,
) -> Any:  # fmt: skip
    """Mark a method or function as a reward; it can still be called directly.

    With `parts`, the weights of named values, it returns a dict with a value for each name.

    ```python
    class Sums(SingleTurnEnv):
        @reward(weight=2)
        def right(self, completion, answer):
            return answer in completion
    ```
    """
    return _decorator("reward", function, name, weight=weight, range=range, parts=parts)


@overload
def metric(function: F) -> F: ...


@overload
def metric(*, name: str | None = None) -> Callable[[F], F]: ...


def metric(function: Any = None, *, name: str | None = None) -> Any:
    """Mark a method as a metric, which is logged for each episode and does not count; it takes a reward's arguments.

    ```python
    class Hotel(ToolEnv):
        @metric
        def searches(self, tool_calls):
            return sum(call["name"] == "search_hotels" for call in tool_calls)
    ```
    """
    return _decorator("metric", function, name)


def _decorator(kind: str, function: Any, name: str | None, **settings: Any) -> Any:
    if function is not None and not callable(function):
        option = "weight" if settings else "name"
        raise ContractError(f"@{kind} decorates a function, got {function!r}.", f"Write @{kind}({option}=...).")

    def mark(marked: F) -> F:
        plain: Any = getattr(marked, "__func__", marked)  # the function in a static or class method
        setattr(plain, f"__grpo_{kind}__", Reward(marked, name or plain.__name__, **settings))
        return marked

    return mark if function is None else mark(function)


def as_reward(thing: Any) -> Any:
    """A `Reward` from an item of `rewards`: a function, a decorated function, or a ready-made reward."""
    if hasattr(thing, "call") and hasattr(thing, "weight"):
        return thing
    marked = getattr(thing, "__grpo_reward__", None)
    if marked is not None:
        return marked
    if hasattr(thing, "__grpo_metric__"):
        raise ContractError(f"{thing.__grpo_metric__.name!r} is a metric, not a reward.", "List it in `metrics`.")
    if callable(thing):
        return Reward(thing, getattr(thing, "__name__", type(thing).__name__))
    raise ContractError(f"{thing!r:.80} is not a reward.", "Use a function, or one of grpo_env_sdk.rewards.")


def bound_rewards(env: Any) -> list[Reward]:
    """The `@reward` methods of an instance, in the order of definition, base classes first."""
    return _bound(env, "__grpo_reward__")


def bound_metrics(env: Any) -> list[Reward]:
    """The `@metric` methods of an instance in the order of definition, then what its class lists in `metrics`."""
    found = [*_bound(env, "__grpo_metric__"), *map(_as_metric, _listed_metrics(type(env)))]
    names = [item.name for item in found]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ContractError(f"{name_of(env)} has two metrics named {twice[0]!r}.", "Rename one: @metric(name=...).")
    return found


def _listed_metrics(cls: type) -> list[Any]:
    """The list `metrics` of a class; an attribute of an instance is the author's own."""
    listed = on_class(cls, "metrics")
    if isinstance(listed, list | tuple):
        return [*listed]
    own_method = str(getattr(listed, "__qualname__", "")).endswith(".metrics")
    if callable(listed) and not own_method:
        raise ContractError(f"{name_of(cls)}.metrics must be a list, got {listed!r:.80}.", "Write metrics = [...].")
    return []


def _as_metric(thing: Any) -> Reward:
    """A metric from an item of `metrics`: a function, a decorated function, or a ready-made reward."""
    item = getattr(thing, "__grpo_metric__", None) or as_reward(thing)
    if not isinstance(item, Reward) or item.parts is not None:
        raise ContractError(f"{item.name!r} gives no single number, so it is not a metric.", "List it in `rewards`.")
    return item


def _bound(env: Any, mark: str) -> list[Reward]:
    cls: Any = type(env)
    return [marked.bound(getattr(env, attribute)) for attribute, marked in _marked(cls, mark)]


def _marked(cls: Any, mark: str) -> list[tuple[str, Reward]]:
    """The marked attributes of a class and of those that it is derived from."""
    found: dict[str, Reward] = {}
    for one in reversed([*by_authors(cls)]):
        for attribute, value in vars(one).items():
            marked = getattr(getattr(value, "__func__", value), mark, None)
            if value is None:
                found.pop(attribute, None)
            elif marked is not None:
                found[attribute] = marked
    return list(found.items())  # what a subclass overrides without the decorator is in its place
