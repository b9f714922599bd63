"""Plugins: each loaded, and each hook of each called, in its own guard; a broken one is a warning."""

import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pluggy

from grpo_env_sdk import hookspecs
from grpo_env_sdk.blame import describe_error
from grpo_env_sdk.errors import BrokenPackageError, GrpoEnvWarning
from grpo_env_sdk.imports import import_object
from grpo_env_sdk.installed import PLUGINS, Offer, offers


@lru_cache(maxsize=1)
def plugin_manager() -> pluggy.PluginManager:
    """The manager with every installed plugin that could be loaded."""
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    for offer in offers():
        if offer.group == PLUGINS:
            _load(manager, offer)
    return manager


def call_each(hook: str, **arguments: Any) -> Iterator[tuple[str, Any]]:
    """What each plugin's implementation gives, with the plugin's name; one that raises is a warning."""
    manager = plugin_manager()
    everyone = manager.get_plugins()
    for name, plugin in manager.list_name_plugin():
        if plugin is None or not hasattr(plugin, hook):
            continue
        caller = manager.subset_hook_caller(hook, everyone - {plugin})
        try:
            results = caller(**arguments)
        except (Exception, SystemExit) as exc:
            _warn(f"The plugin {name} failed in {hook}: {describe_error(exc)}.")
            continue
        yield from ((name, result) for result in results)


def call_each_for_items(hook: str, kind: type) -> Iterator[tuple[str, Any]]:
    """Each item of the lists that plugins give; what is not of `kind` is a warning."""
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
                _warn(f"The plugin {name} gave {item!r:.80} in {hook}, not a {kind.__name__}.")


def forget() -> None:
    """Load the plugins again at the next call; for tests."""
    plugin_manager.cache_clear()


def _load(manager: pluggy.PluginManager, offer: Offer) -> None:
    whose = f"The plugin {offer.name!r} of {offer.distribution} {offer.version}"
    try:
        manager.register(import_object(offer.value, whose), name=f"{offer.distribution}:{offer.name}")
        manager.check_pending()
    except BrokenPackageError as exc:
        _warn(str(exc))
    except Exception as exc:
        if manager.has_plugin(f"{offer.distribution}:{offer.name}"):
            manager.unregister(name=f"{offer.distribution}:{offer.name}")
        _warn(f"{whose} does not fit: {describe_error(exc)}.")


def _warn(text: str) -> None:
    warnings.warn(text, GrpoEnvWarning, stacklevel=3)
