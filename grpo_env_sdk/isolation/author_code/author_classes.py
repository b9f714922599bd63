"""What is on the class of an environment, and which of the classes that it is derived from its author wrote."""

from collections.abc import Iterator
from types import FunctionType
from typing import Any

BASES = ("grpo_env_sdk.envs.", "gymnasium.")
"""The modules of the classes that authors subclass; none of them has tools, rewards or metrics."""
_CLOSES_NOTHING = ("gymnasium.core", "Env.close")


def by_authors(cls: type) -> Iterator[type]:
    """The class and those that it is derived from, base classes last, without ours, Gymnasium's and `object`.

    Reading these few again in each episode is quick, and finds what an author adds to a class at any time.
    """
    return (one for one in cls.__mro__ if one is not object and not one.__module__.startswith(BASES))


def on_class(cls: type, name: str) -> Any:
    """What a class or a base class has by this name, without running code of its author; None where it has nothing.

    `inspect.getattr_static` takes ten times as long, and this is asked several times in each episode.
    """
    return next((vars(one)[name] for one in cls.__mro__ if name in vars(one)), None)


def may_close(instance: Any) -> bool:
    """Whether it may have a `close` of its own, found without running code of its author."""
    cls = type(instance)
    if "close" in _attributes(instance) or on_class(cls, "__getattribute__") is not vars(object)["__getattribute__"]:
        return True
    found = on_class(cls, "close")
    if type(found) is FunctionType:
        return (found.__module__, found.__qualname__) != _CLOSES_NOTHING
    return found is not None or on_class(cls, "__getattr__") is not None


def _attributes(instance: Any) -> dict[str, Any]:
    try:
        return object.__getattribute__(instance, "__dict__")  # type: ignore[no-any-return]
    except BaseException:  # it has slots, or a property of that name
        return {}


def close(instance: Any) -> Any:
    """Call its `close`, if it has one."""
    found = getattr(instance, "close", None)
    return found() if callable(found) else None
