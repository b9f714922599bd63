"""Which arguments an author's function accepts."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any


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
