"""Which arguments a function takes."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from grpo_env_sdk.errors import UsageError, did_you_mean

P = ParamSpec("P")
T = TypeVar("T")


def takes(function: Callable[..., Any], name: str) -> bool:
    """Whether the signature names this parameter; `**kwargs` does not count."""
    return name in inspect.signature(function).parameters


def columns_wanted(function: Callable[..., Any], positional: int, offered: Mapping[str, Any]) -> dict[str, Any]:
    """Those of `offered` that the signature names after its first `positional` parameters, or all for `**kwargs`."""
    parameters = list(inspect.signature(function).parameters.values())
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        taken = {p.name for p in parameters[:positional]}
        return {name: value for name, value in offered.items() if name not in taken}
    return {p.name: offered[p.name] for p in parameters[positional:] if p.name in offered}


def suggesting_names(function: Callable[P, T]) -> Callable[P, T]:
    """The function, with a `UsageError` that suggests the nearest parameter for a keyword that it does not take."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in names:
                hint = did_you_mean(name, names) or f"It takes {', '.join(names)}."
                raise UsageError(f"{function.__name__}() takes no {name!r}.", hint)
        return function(*args, **kwargs)

    return called
