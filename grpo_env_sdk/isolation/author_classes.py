"""Which of the classes that an environment is derived from its author wrote."""

from collections.abc import Iterator

BASES = ("grpo_env_sdk.envs.", "gymnasium.")
"""The modules of the classes that authors subclass; none of them has tools, rewards or metrics."""


def by_authors(cls: type) -> Iterator[type]:
    """The class and those that it is derived from, base classes last, without ours, Gymnasium's and `object`.

    Reading these few again in each episode is quick, and finds what an author adds to a class at any time.
    """
    return (one for one in cls.__mro__ if one is not object and not one.__module__.startswith(BASES))
