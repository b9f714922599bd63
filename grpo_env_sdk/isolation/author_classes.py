"""What is on the class of an environment, and which of the classes that it is derived from its author wrote."""

from collections.abc import Iterator
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


def closes_something(instance: Any) -> bool:
    """Whether its class, or the instance, has a `close` of its own; the one that Gymnasium gives does nothing."""
    close = getattr(instance, "close", None)
    named = (getattr(close, "__module__", None), getattr(close, "__qualname__", None))
    return callable(close) and named != _CLOSES_NOTHING
