"""The names of all pools that environment code can run in, those of plugins too, and their flags."""

from collections.abc import Mapping

from grpo_env_sdk.errors import UsageError, did_you_mean
from grpo_env_sdk.hookspecs import PoolFlag, PoolSpec
from grpo_env_sdk.isolation.processes.env_pool import POOLS, EnvPool
from grpo_env_sdk.registry.plugins import call_each_for_items

_KNOWN_PLUGINS = {"ray": "pip install grpo-env-ray"}
"""How to install pools that the SDK's own pages name."""


def plugin_pools() -> Mapping[str, PoolSpec]:
    """The pools of plugins by their names; the first plugin that has a name wins, and none takes ours."""
    found: dict[str, PoolSpec] = {}
    for _, spec in call_each_for_items("grpo_env_register_pools", PoolSpec):
        if spec.name not in POOLS:
            found.setdefault(spec.name, spec)
    return found


def pool_flags() -> list[PoolFlag]:
    """The flags of plugins' pools."""
    return [flag for spec in plugin_pools().values() for flag in spec.flags]


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
