"""What is wrong with a single hook of a plugin: the others of the same plugin are called all the same."""

import inspect
from collections.abc import Iterator
from typing import Any

import pluggy

from grpo_env_sdk import hookspecs
from grpo_env_sdk.errors import did_you_mean

HOOKS = tuple(name for name in vars(hookspecs) if name.startswith("grpo_env_"))


class HookManager(pluggy.PluginManager):
    """A pluggy manager that leaves out the hooks that cannot be called, and keeps why in `faults`."""

    def __init__(self) -> None:
        super().__init__(hookspecs.PROJECT)
        self.faults: list[str] = []
        self.add_hookspecs(hookspecs)

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> Any:
        """The options of a function that is marked as a hook, or None."""
        options = super().parse_hookimpl_opts(plugin, name)
        hook = (options and options.get("specname")) or name
        if options is None or hook not in HOOKS:
            return options
        function = getattr(plugin, name)
        takes = getattr(self.hook, hook).spec.argnames
        asked = pluggy.HookImpl(plugin, "", function, options).argnames
        if unknown := [each for each in asked if each not in takes]:
            meant = ", ".join(takes) or "nothing"
            self.faults.append(f"implements {hook}({', '.join(asked)}), which gets {meant} and no {unknown[0]!r}.")
        elif inspect.iscoroutinefunction(function):
            self.faults.append(f"implements {hook} with `async def`. Write `def`.")
        else:
            return options
        return None

    def faults_of(self, plugin: Any) -> Iterator[str]:
        """What is wrong with the hooks of a plugin that was registered last."""
        yield from self.faults
        self.faults.clear()
        callers = self.get_hookcallers(plugin) or ()
        for caller in callers:
            if not caller.has_spec():
                yield f"implements {caller.name!r}, which is not a hook. {did_you_mean(caller.name, HOOKS)}".strip()
        for hook in HOOKS:
            found = getattr(plugin, hook, None)
            if inspect.isroutine(found) and not _is_marked(found):
                yield f"has {hook} without @hookimpl, so it is never called."


def _is_marked(function: Any) -> bool:
    return any(hasattr(function, f"{hookspecs.PROJECT}_{mark}") for mark in ("impl", "spec"))
