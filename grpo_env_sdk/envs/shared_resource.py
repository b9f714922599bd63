"""`open_shared` of a class: a client, a server or a loaded model that all episodes of a run share, as `self.shared`."""

import copy
import inspect
from contextlib import asynccontextmanager, contextmanager
from typing import Any, NoReturn

from grpo_env_sdk.errors import ContractError, NotOpenError
from grpo_env_sdk.isolation.calls.tracebacks import defined_at, name_of

METHOD, ATTRIBUTE = "open_shared", "shared"
_DECORATORS: dict[Any, str] = {
    contextmanager(iter).__code__: "@contextmanager",
    asynccontextmanager(aiter).__code__: "@asynccontextmanager",
}
"""What each of the decorators makes of any function, by its code."""


def opens_shared(env: Any) -> bool:
    """Whether the class has resources that all episodes of a run share."""
    return callable(getattr(type(env), METHOD, None))


def check_opener(env: Any) -> None:
    """Raise a `ContractError` for an `open_shared` that can be no context manager, as far as its definition shows."""
    method = getattr(type(env), METHOD, None)
    if not inspect.isroutine(method):
        return
    function = inspect.unwrap(method)
    decorator = _DECORATORS.get(getattr(method, "__code__", None))
    if decorator is None and function is not method:  # a decorator of the author's
        return
    is_async = inspect.isasyncgenfunction(function) or inspect.iscoroutinefunction(function)
    yields = inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function)
    wanted = "@asynccontextmanager" if is_async else "@contextmanager"
    what = f"{name_of(env)}.{METHOD} ({defined_at(function)})"
    if (yields or is_async) and decorator != wanted:
        found = f"is decorated with {decorator}" if decorator else "has no decorator"
        kind = "is async and " if is_async else ""
        raise ContractError(f"{what} {kind}{found}.", f"Decorate it with {wanted}, from contextlib, and yield once.")
    if not yields and decorator:
        raise ContractError(f"{what} yields nothing.", "Yield once what all episodes share, and close it after that.")


def not_open(env: Any) -> NoReturn:
    """Raise for `self.shared` of an instance that was given none."""
    if not opens_shared(env):
        raise NotOpenError(
            f"{name_of(env)} has no open_shared, so it has no self.shared.",
            "Write one, with @contextmanager or @asynccontextmanager, that yields what all episodes share.",
        )
    raise NotOpenError(
        f"self.shared of {name_of(env)} is not open: a run opens it after __init__.",
        "By hand: `with env.open_shared() as env.shared:`, or `async with` where it is async.",
    )


def lacked_shared(env: Any, exc: BaseException) -> bool:
    """Whether code of an instance failed as it read `self.shared`, which was not open."""
    if not opens_shared(env) or ATTRIBUTE in vars(env):
        return False
    causes = (exc, exc.__cause__)  # a plain class has no such attribute before
    return any(isinstance(one, NotOpenError) or getattr(one, "name", None) == ATTRIBUTE for one in causes)


def pass_on(env: Any, other: Any) -> None:
    """Give another instance what this one shares."""
    if opens_shared(env) and ATTRIBUTE in vars(env):
        other.shared = env.shared


def copy_of(env: Any) -> Any:
    """A deep copy of an instance of a plain class, which shares what its original shares."""
    if not (opens_shared(env) and ATTRIBUTE in vars(env)):
        return copy.deepcopy(env)
    return copy.deepcopy(env, {id(env.shared): env.shared})


def attributes_of_its_own(env: Any) -> dict[str, Any]:
    """The attributes of an instance without what it shares with others."""
    return {name: value for name, value in vars(env).items() if name != ATTRIBUTE or not opens_shared(env)}
