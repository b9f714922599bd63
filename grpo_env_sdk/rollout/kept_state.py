"""What episodes leave behind in a class or module for later ones: in several processes, each has its own."""

import itertools
import random
from collections import Counter, deque
from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.isolation.author_code.author_globals import held_by, packages_of
from grpo_env_sdk.isolation.values.error_text import cut
from grpo_env_sdk.plain_text import printable
from grpo_env_sdk.rollout.encoding import Packet, decode
from grpo_env_sdk.rollout.event_types import fits

FILES_LEFT_OPEN = Packet('"files left open"')
"""What a worker says in place of names where it is replaced, as it could soon open no more files."""
_EPISODES = 3
"""What each of so many episodes but the first changes is kept for later ones; the first builds what is built once."""
_MOST_ENTRIES = 1000
_MOST_NAMES = 3
_MOST_CHARS = 200


class KeptState:
    """Watches the first episodes of a process: counters, histories and averages, but no caches of what is the same."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self._packages = packages_of(type(env))
        self._left = _EPISODES
        self._before: dict[str, Any] = {}
        self._changed: set[str] | None = None

    def begin(self) -> None:
        """Remember what there is before an episode."""
        if self._left:
            self._before = self._values()

    def end(self) -> list[str]:
        """The names of what the first episodes have all changed, once that is known; nothing at any other time."""
        if not self._left:
            return []
        self._left -= 1
        after = self._values()
        changed = {name for name, value in self._before.items() if name in after and _goes_on(value, after[name])}
        if self._left < _EPISODES - 1:
            self._changed = changed if self._changed is None else self._changed & changed
        return [] if self._left else sorted(self._changed or ())[:_MOST_NAMES]

    def _values(self) -> dict[str, Any]:
        try:
            found = [(f"{type(self._env).__name__}.{name}", held) for name, held in vars(self._env).items()]
            found += [item for package in self._packages for item in held_by(package)]
            return {name: value for name, held in found if (value := _value_of(held)) is not None}
        except Exception:  # an instance without a `__dict__`, or threads that change what is read
            return {}


def names_in(packet: Packet) -> str:
    """The names that a worker gave; none where its answer is forged."""
    try:
        names = decode(packet)
    except Exception:
        return ""
    return printable(cut(", ".join(names), _MOST_CHARS)) if fits(names, list[str]) else ""


def _value_of(held: Any) -> Any:
    """A number, the length of a history, the numbers in a dict, or the state of a generator; None for all else."""
    kind = type(held)
    if kind in (int, float):
        return held
    if kind in (list, set, deque):
        return len(held)
    if kind is dict:
        some = itertools.islice(held.items(), _MOST_ENTRIES)
        return {key: value for key, value in some if type(value) in (int, float)}
    if kind is Counter:
        return held.total()
    if kind is itertools.count:
        return repr(held)
    return hash(held.getstate()) if kind is random.Random else None


def _goes_on(before: Any, after: Any) -> bool:
    """Whether a value was changed; new entries of a dict are those of a cache."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return any(key in after and after[key] != value for key, value in before.items())
    return bool(before != after)
