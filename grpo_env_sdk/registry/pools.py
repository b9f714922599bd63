"""The names of all pools that environment code can run in, those of plugins too, and their flags."""

import warnings
from collections.abc import Collection, Mapping

from grpo_env_sdk.errors import GrpoEnvWarning, UsageError, did_you_mean
from grpo_env_sdk.hookspecs import PoolFlag, PoolSpec
from grpo_env_sdk.isolation.processes.env_pool import POOLS, EnvPool
from grpo_env_sdk.registry.plugins import NAME, call_each_for_named

_KNOWN_PLUGINS = {"ray": "pip install grpo-env-ray"}
"""How to install pools that the SDK's own pages name."""


def plugin_pools() -> Mapping[str, PoolSpec]:
    """The pools of plugins by their names; the first plugin that has a name wins, and none takes ours."""
    found: dict[str, PoolSpec] = {}
    for _, spec in call_each_for_named("grpo_env_register_pools", PoolSpec, POOLS):
        found.setdefault(spec.name, spec)
    return found


def pool_flags(taken: Collection[str] = ()) -> list[PoolFlag]:
    """The flags of plugins' pools; one that is taken, as a command or another pool has it, is left out with a warning.

    Args:
        taken: The options that the command has, in Python's spelling.
    """
    found: dict[str, PoolFlag] = {}
    for spec in plugin_pools().values():
        for flag in spec.flags:
            if flag.option in taken or flag.option in found or not NAME.fullmatch(flag.name):
                why = "is taken" if NAME.fullmatch(flag.name) else "is not one word"
                text = f"The pool {spec.name!r} adds a flag --{flag.name}, which {why}: it is left out."
                warnings.warn(text, GrpoEnvWarning, stacklevel=2)
            else:
                found[flag.option] = flag
    return list(found.values())


def pool_names() -> tuple[str, ...]:
    """What `--env-pool` takes."""
    return (*POOLS, *plugin_pools())


def check_kind(pool: EnvPool) -> None:
    """Raise where there is no such pool, or it has no such option."""
    plugins = {} if pool.kind in POOLS and not pool.options else plugin_pools()
    if pool.kind not in (*POOLS, *plugins):
        names = (*POOLS, *plugins)
        hint = _KNOWN_PLUGINS.get(pool.kind) or did_you_mean(str(pool.kind), names) or f"There are {', '.join(names)}."
        raise UsageError(f"No environment pool named {pool.kind!r:.80}.", hint)
    own = [flag.option for flag in plugins[pool.kind].flags] if pool.kind in plugins else []
    for option in pool.options:
        if option not in own:
            owner = next((spec.name for spec in plugins.values() if option in [f.option for f in spec.flags]), None)
            name = f"--{option.replace('_', '-')}" if owner else option
            hint = f"Add --env-pool {owner}." if owner else did_you_mean(option, own)
            raise UsageError(f"{name} is no option of the pool {pool.kind!r}.", hint)
