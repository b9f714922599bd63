"""What the modules of an author and their classes hold, and how many entries each list, dict and set of it has."""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

Sizes = Mapping[str, tuple[int, Any]]
"""By name, the number of entries and what holds them."""

_module_of: Callable[[type], Any] = type.__dict__["__module__"].__get__
_attributes_of: Callable[[type], Mapping[str, Any]] = type.__dict__["__dict__"].__get__
"""Read past what a metaclass may do."""
_OF_NOBODY = {"builtins", "grpo_env_sdk", "gymnasium", "abc", "typing"}
"""The packages of base classes that are no author's."""


def packages_of(cls: type) -> set[str]:
    """The packages or modules in which an author wrote a class and its bases."""
    return {base.__module__.partition(".")[0] for base in cls.__mro__} - _OF_NOBODY


def author_globals(package: str) -> Sizes:
    """Each container of a package's modules by its name, such as `Worlds.open_worlds (worlds.py)`."""
    return {name: (len(value), value) for name, value in held_by(package) if type(value) in (list, dict, set, deque)}


def growing(seen: Sequence[Sizes], least: float) -> list[tuple[str, Any]]:
    """What has so many more entries after each round, the name with the most first."""
    names = set.intersection(*map(set, seen)) if seen else set()
    grown = [
        (name, seen[-1][name])
        for name in names
        if min(after[name][0] - before[name][0] for before, after in pairwise(seen)) >= least
    ]
    return [(name, held) for name, (_, held) in sorted(grown, key=lambda item: -item[1][0])]


def held_by(package: str) -> Iterator[tuple[str, Any]]:
    """Everything that a package's modules and their classes hold, with its name."""
    for full_name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not file or full_name.partition(".")[0] != package:
            continue
        where = f"({os.path.basename(file)})"
        for name, value in list(vars(module).items()):
            if issubclass(type(value), type) and _module_of(value) == vars(module).get("__name__"):
                yield from ((f"{name}.{part} {where}", held) for part, held in _attributes_of(value).items())
            else:
                yield f"{name} {where}", value
