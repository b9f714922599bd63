"""Plugins: loading them and calling their hooks; a plugin that fails is a warning, and the others still work."""

import os
import re
import sys
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pluggy

from grpo_env_sdk import hookspecs
from grpo_env_sdk.errors import BrokenPackageError, GrpoEnvWarning, UsageError, did_you_mean
from grpo_env_sdk.isolation.imports import import_object
from grpo_env_sdk.isolation.tracebacks import describe_error, note_plugin, one_line
from grpo_env_sdk.registry.entry_points import ENVS, PLUGINS, Offer, offers


@lru_cache(maxsize=1)
def plugin_manager() -> pluggy.PluginManager:
    """A pluggy manager with every installed plugin that can be loaded."""
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    for offer in offers():
        if offer.group == PLUGINS:
            _load(manager, offer)
    return manager


def call_each(hook: str, **arguments: Any) -> Iterator[tuple[str, Any]]:
    """The result of each plugin's implementation, with the plugin's name; one that raises is a warning."""
    implementations = getattr(plugin_manager().hook, hook).get_hookimpls()
    for implementation in reversed(implementations):  # in the order in which pluggy calls them
        name = implementation.plugin_name
        try:
            result = implementation.function(**{key: arguments[key] for key in implementation.argnames})
        except UsageError:
            raise  # the plugin's error for wrong user input
        except (Exception, SystemExit) as exc:
            _warn(f"The plugin {name} failed in {hook}: {describe_error(exc)}.")
            continue
        if result is not None:
            yield name, result


def call_each_for_items(hook: str, kind: type) -> Iterator[tuple[str, Any]]:
    """Each item of the lists that plugins return; an item that is not of `kind` is a warning."""
    for name, items in call_each(hook):
        try:
            listed = list(items)
        except (Exception, SystemExit) as exc:
            _warn(f"The plugin {name} failed in {hook}: {describe_error(exc)}.")
            continue
        for item in listed:
            if isinstance(item, kind):
                yield name, item
            else:
                _warn(f"The plugin {name} returned {item!r:.80} in {hook}, not a {kind.__name__}.")


def forget() -> None:
    """Load the plugins again at the next call; for tests."""
    plugin_manager.cache_clear()


def _load(manager: pluggy.PluginManager, offer: Offer) -> None:
    name = f"{offer.distribution}:{offer.name}"
    whose = f"The plugin {offer.name!r} of {offer.distribution} {offer.version}"
    try:
        plugin = import_object(offer.value, whose)
        manager.register(plugin, name=name)
    except BrokenPackageError as exc:
        return _warn(str(exc))
    except Exception as exc:
        if manager.has_plugin(name):
            manager.unregister(name=name)
        return _warn(f"{whose} cannot be registered: {one_line(exc)}.")
    _note_if_not_author(plugin, offer)
    for caller in manager.get_hookcallers(plugin) or ():
        if not caller.has_spec():
            hint = did_you_mean(caller.name, [name for name in vars(hookspecs) if name.startswith("grpo_env_")])
            _warn(f"{whose} implements {caller.name!r}, which is not a hook. {hint}".strip())
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
