"""Importing this module registers every installed environment in Gymnasium, as `grpo_env/hotel-v1`.

gymnasium.make("grpo_env_sdk.gym:grpo_env/hotel-v1")
"""

from collections.abc import Sequence
from typing import Any

import gymnasium

from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.registry.lookup import specs
from grpo_env_sdk.rollout.gymnasium_adapter import to_gymnasium

NAMESPACE = "grpo_env"


def gym_id(id: str) -> str:
    """The Gymnasium id of an environment; Gymnasium allows only one namespace, so `/` becomes `.`."""
    return f"{NAMESPACE}/{id.replace('/', '.')}"


def register_installed() -> list[str]:
    """Register all environments without importing them; returns their Gymnasium ids."""
    registered = []
    for spec in specs():
        name = gym_id(spec.id)
        if spec.status == "ok" and name not in gymnasium.registry:
            gymnasium.register(name, entry_point=f"{__name__}:make_for_gymnasium", kwargs={"env_id": spec.id})
            registered.append(name)
    return registered


def make_for_gymnasium(env_id: str, *, rewards: Sequence[Any] = (), tokenizer: Any = None, **config: Any) -> Any:
    """The environment as `to_gymnasium` wraps it, with the keywords of `make`."""
    return to_gymnasium(load(env_id, config, rewards=rewards, tokenizer=tokenizer), tokenizer=tokenizer)


register_installed()
