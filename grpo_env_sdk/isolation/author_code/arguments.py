"""Which arguments a function takes."""

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple, ParamSpec, TypeVar

from grpo_env_sdk.errors import UsageError, did_you_mean

P = ParamSpec("P")
T = TypeVar("T")


def takes(function: Callable[..., Any], name: str) -> bool:
    """Whether the signature names this parameter; `**kwargs` does not count."""
    plain = getattr(function, "__func__", function)
    if not isinstance(plain, FunctionType) or vars(plain):  # a decorator may have given it another signature
        return name in inspect.signature(function).parameters
    code = plain.__code__
    return name in code.co_varnames[plain is not function : code.co_argcount + code.co_kwonlyargcount]


@functools.lru_cache(maxsize=4096)  # it is asked for each episode
def _signature_of(function: FunctionType) -> inspect.Signature:
    return inspect.signature(function)


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that a caller gives; a method is bound again for each episode, so its function is read once."""
    plain = getattr(function, "__func__", function)
    if not isinstance(plain, FunctionType):
        return list(inspect.signature(function).parameters.values())
    parameters = list(_signature_of(plain).parameters.values())
    is_bound = plain is not function and bool(parameters) and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL
    return parameters[is_bound:]


def can_be_called(function: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
    """Whether a function takes these arguments; True where it has no signature to read."""
    try:
        signature = inspect.Signature(parameters_of(function))
    except (TypeError, ValueError):  # not all that is compiled has one
        return True
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def reads(function: Callable[..., Any], position: int) -> bool:
    """Whether the source of a function uses this parameter, if only to pass it on; True where there is no source."""
    return _uses(function, position).reads


def touches(function: Callable[..., Any], position: int) -> bool:
    """Whether the source of a function calls this parameter, or takes an attribute of it."""
    return _uses(function, position).touches


class _Uses(NamedTuple):
    reads: bool
    touches: bool


def _uses(function: Callable[..., Any], position: int) -> _Uses:
    name, code = _parameter(function, position), getattr(inspect.unwrap(function), "__code__", None)
    return _Uses(True, False) if name is None or code is None else _uses_in(code, name)


@functools.lru_cache(maxsize=256)  # it is asked for each score
def _uses_in(code: CodeType, name: str) -> _Uses:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, SyntaxError, ValueError):  # typed in, generated, or changed since it was imported
        return _Uses(True, False)
    nodes = [*ast.walk(tree)]
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    owners = (node.value for node in nodes if isinstance(node, ast.Attribute))
    touched = any(_is_value_of(name, node) for node in (*calls, *owners))
    return _Uses(any(_is_value_of(name, node) for node in nodes), touched)


def _is_value_of(name: str, node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def _parameter(function: Callable[..., Any], position: int) -> str | None:
    """The name of a positional parameter; None where `*args` takes it."""
    parameters = parameters_of(function)[: position + 1]
    if len(parameters) <= position or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    return parameters[position].name


def columns_wanted(function: Callable[..., Any], positional: int, offered: Mapping[str, Any]) -> dict[str, Any]:
    """Those of `offered` that the signature names after its first `positional` parameters, or all for `**kwargs`."""
    parameters = parameters_of(function)
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        taken = {p.name for p in parameters[:positional]}
        return {name: value for name, value in offered.items() if name not in taken}
    return {p.name: offered[p.name] for p in parameters[positional:] if p.name in offered}


def suggesting_names(function: Callable[P, T]) -> Callable[P, T]:
    """The function, with a `UsageError` that suggests how to write an argument that it does not take as it is given."""
    parameters = inspect.signature(function).parameters.values()
    names = [parameter.name for parameter in parameters]
    by_place = sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters)
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters)

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        if len(args) > by_place:
            given = args[by_place]
            spread = takes_any and isinstance(given, Mapping)
            how = f"**{given!r:.80}" if spread else f"NAME={given!r:.80}"
            what = f"{function.__name__}() takes {given!r:.80} by name only."
            raise UsageError(what, f"Like {function.__name__}({', '.join([*names[:by_place], how])}).")
        for name in kwargs:
            if name not in names and not takes_any:
                hint = did_you_mean(name, names) or f"It takes {', '.join(names)}."
                raise UsageError(f"{function.__name__}() takes no {name!r}.", hint)
        return function(*args, **kwargs)

    return called
