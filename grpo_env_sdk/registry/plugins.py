"""Plugins: loading them and calling their hooks; a plugin that fails is a warning, and the others still work."""

import os
import re
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import fields
from functools import lru_cache
from itertools import islice
from typing import Any

from grpo_env_sdk.errors import BrokenPackageError, DeadlineError, GrpoEnvWarning, UsageError
from grpo_env_sdk.hookspecs import CommandSpec, PoolFlag, PoolSpec
from grpo_env_sdk.isolation.calls.command_process import ends_by
from grpo_env_sdk.isolation.calls.deadline import call_within
from grpo_env_sdk.isolation.calls.imports import import_object
from grpo_env_sdk.isolation.calls.tracebacks import describe_error, note_plugin, one_line
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.registry.entry_points import ENVS, PLUGINS, Offer, normalised, offers
from grpo_env_sdk.registry.hook_faults import HookManager
from grpo_env_sdk.types import EnvSpec

HOOK_SECONDS = 10.0
SLOW_SECONDS = 3.0
"""An import that takes longer is named while it lasts."""
SLOW_OBSERVER_SECONDS = 0.5
_SLOW_CALLS = 3
"""An observer may load something at its first call, and a busy machine may be slow once."""
_OBSERVES = "grpo_env_episode_finished"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What plugins may call a command, a pool or a flag."""
_ANSWERS_THE_USER = ("grpo_env_make_policy", "grpo_env_open_tokenizer")
"""Hooks that load what the user named, and may refuse it."""
_MOST_ITEMS = 100_000
_given_up: set[tuple[str, str]] = set()
"""The plugins, each with a hook of it, that are not called again."""
_slow: Counter[str] = Counter()
"""How often the observer of a plugin was slow."""


@lru_cache(maxsize=1)
def plugin_manager() -> HookManager:
    """A pluggy manager with every installed plugin that can be loaded, which calls them by the names of packages."""
    manager = HookManager()
    found = [offer for offer in offers() if offer.group == PLUGINS]
    for offer in sorted(found, key=lambda each: (normalised(each.distribution), each.name), reverse=True):
        _load(manager, offer)  # pluggy calls the last one first
    return manager


def call_each(hook: str, only: str | None = None, /, **arguments: Any) -> Iterator[tuple[str, Any]]:
    """The result of each plugin's implementation, with the plugin's name; one that raises is a warning.

    Args:
        only: The distribution whose plugins are called.
    """
    return ((name, result) for name, result in _results(hook, only, arguments) if result is not None)


def call_each_by_name(hook: str, typed: str, arguments: Callable[[str], dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The result of each plugin for a name that a person typed; `dist:name` asks the plugins of a distribution alone.

    Args:
        arguments: The arguments of the hook for a name.
    """
    owner, _, name = typed.partition(":")
    if name and any(_is_of(each, owner) for each in getattr(plugin_manager().hook, hook).get_hookimpls()):
        yield from call_each(hook, owner, **arguments(typed))
        yield from call_each(hook, owner, **arguments(name))
    else:
        yield from call_each(hook, **arguments(typed))


def _is_of(implementation: Any, distribution: str) -> bool:
    return normalised(implementation.plugin_name.partition(":")[0]) == normalised(distribution)


def _results(hook: str, only: str | None, arguments: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    implementations = getattr(plugin_manager().hook, hook).get_hookimpls()
    for implementation in reversed(implementations):  # in the order in which pluggy calls them
        name = implementation.plugin_name
        if (name, hook) in _given_up or not (only is None or _is_of(implementation, only)):
            continue
        began = time.monotonic()
        try:
            result = call_within(_seconds_of(hook), f"{hook} of it", _called, implementation, arguments)
        except Exception as exc:
            if isinstance(exc, UsageError) and hook in _ANSWERS_THE_USER:
                raise  # the plugin's error for wrong user input
            _failed(name, hook, exc)
            continue
        _note_if_slow(name, hook, time.monotonic() - began)
        yield name, result


def call_each_for_items(hook: str, kind: type) -> Iterator[tuple[str, Any]]:
    """Each item of the lists that plugins return; an item that is not of `kind` is a warning."""
    for name, items in _results(hook, None, {}):
        if items is None:
            _warn(f"The plugin {name} returned None in {hook}, where a list is expected; it may be empty.")
            continue
        try:
            listed = call_within(HOOK_SECONDS, f"{hook} of it", _listed, items)
        except Exception as exc:
            _failed(name, hook, exc)
            continue
        sound: list[Any] = []
        junk: list[Any] = []
        for item in listed:
            (sound if _is_sound(item, kind) else junk).append(item)
        if junk:
            more = f" and {len(junk) - 1} more like it" if junk[1:] else ""
            what = "with what is no text" if isinstance(junk[0], kind) else f"not a {kind.__name__}"
            _warn(f"The plugin {name} returned {short_repr(junk[0])}{more} in {hook}, {what}.")
        yield from ((name, item) for item in sound)


def call_each_for_named(hook: str, kind: type, ours: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Each item with a name that a person can type; a name that is ours, or another plugin's too, is a warning."""
    owners: dict[str, tuple[str, Any]] = {}
    for plugin, item in call_each_for_items(hook, kind):
        what = f"a {kind.__name__} {item.name!r:.80}"
        first, same = owners.setdefault(item.name, (plugin, item))
        if not NAME.fullmatch(item.name):
            _warn(f"The plugin {plugin} adds {what}, whose name is not one word of letters, digits, '-', '_' and '.'.")
        elif item.name in ours:
            _warn(f"The plugin {plugin} adds {what}, but that name is the SDK's own, which stays.")
        else:
            if item != same:
                _warn(f"The plugin {plugin} adds {what}, but {first} has that name too.")
            yield plugin, item


def forget() -> None:
    """Load the plugins again at the next call; for tests."""
    plugin_manager.cache_clear()
    _given_up.clear()
    _slow.clear()


def _note_if_slow(name: str, hook: str, seconds: float) -> None:
    """Warn once of an observer that a run waits for after each episode."""
    if hook != _OBSERVES or seconds <= SLOW_OBSERVER_SECONDS:
        return
    _slow[name] += 1
    if _slow[name] == _SLOW_CALLS:
        _warn(f"The plugin {name} took {seconds:.1f} s in {hook}; the run waits for it after each episode.")


def _seconds_of(hook: str) -> float | None:
    """The deadline of a hook; opening a model takes as long as it takes, and its threads are those of its caller."""
    return None if hook in _ANSWERS_THE_USER else HOOK_SECONDS


def _called(implementation: Any, arguments: dict[str, Any]) -> Any:
    return implementation.function(**{key: arguments[key] for key in implementation.argnames})


def _listed(items: Any) -> list[Any]:
    listed = list(islice(items, _MOST_ITEMS + 1))
    if len(listed) > _MOST_ITEMS:
        raise ValueError(f"it lists more than {_MOST_ITEMS} items")
    return listed


def _is_sound(item: Any, kind: type) -> bool:
    """Whether an item is of its kind, and the texts in it are texts."""
    if not isinstance(item, kind) or not isinstance(item, EnvSpec | CommandSpec | PoolSpec | PoolFlag):
        return isinstance(item, kind)
    values = {field.name: getattr(item, field.name) for field in fields(item)}
    for name, inner in (("flags", PoolFlag), ("reads", str)):
        listed = values.pop(name, ())
        if not isinstance(listed, tuple) or not all(_is_sound(one, inner) for one in listed):
            return False
    config = values.pop("config", {})
    optional = {field.name for field in fields(item) if field.default is None}
    return isinstance(config, dict) and all(
        isinstance(value, str) or (value is None and name in optional) for name, value in values.items()
    )


def _failed(name: str, hook: str, exc: Exception) -> None:
    """Warn, and do not call again what hangs or is called for every episode."""
    again = ""
    if isinstance(exc, DeadlineError) or hook == _OBSERVES:
        _given_up.add((name, hook))
        again = " It is not called again."
    _warn(f"The plugin {name} failed in {hook}: {describe_error(exc)}.{again}")


def _load(manager: HookManager, offer: Offer) -> None:
    name = f"{offer.distribution}:{offer.name}"
    whose = f"The plugin {offer.name!r} of {offer.distribution} {offer.version}"
    slow = threading.Timer(SLOW_SECONDS, _warn, [f"{whose} is still being imported."])
    slow.daemon = True
    slow.start()
    try:
        with ends_by(f"Uninstall its package: pip uninstall {offer.distribution}"):
            plugin = import_object(offer.value, whose)
        call_within(HOOK_SECONDS, "registering it", manager.register, plugin, name=name)
    except BrokenPackageError as exc:
        return _warn(str(exc))
    except Exception as exc:
        if manager.has_plugin(name):
            manager.unregister(name=name)
        manager.faults.clear()
        return _warn(f"{whose} cannot be registered: {one_line(exc).rstrip('.')}.")
    finally:
        slow.cancel()
    _note_if_not_author(plugin, offer)
    for fault in manager.faults_of(plugin):
        _warn(f"{whose} {fault}")
    return None


def _note_if_not_author(plugin: Any, offer: Offer) -> None:
    """Keep a plugin's files out of the author's frames, unless the plugin provides environments."""
    package = re.split(r"[.:]", offer.value)[0]
    with_envs = {re.split(r"[.:]", other.value)[0] for other in offers() if other.group == ENVS}
    if package not in with_envs and not hasattr(plugin, "grpo_env_register_envs"):
        module = sys.modules[package]
        folders = [f"{folder}{os.sep}" for folder in getattr(module, "__path__", ())]
        for place in folders or [module.__file__ or ""]:
            note_plugin(place)


def _warn(text: str) -> None:
    warnings.warn(text, GrpoEnvWarning, stacklevel=3)
