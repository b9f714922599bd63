"""Importing this makes every installed environment known to Gymnasium, as `grpo_env/hotel-v1`.

gymnasium.make("grpo_env_sdk.gym:grpo_env/hotel-v1")
"""

from typing import Any

import gymnasium

from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.loading import make
from grpo_env_sdk.registry import specs
from grpo_env_sdk.traits import is_multi_turn

NAMESPACE = "grpo_env"


def gym_id(id: str) -> str:
    """The id under which Gymnasium knows an environment; it has room for one namespace only."""
    return f"{NAMESPACE}/{id.replace('/', '.')}"


def register_installed() -> list[str]:
    """Register from metadata, importing no environment; gives Gymnasium's ids."""
    registered = []
    for spec in specs():
        name = gym_id(spec.id)
        if spec.status == "ok" and name not in gymnasium.registry:
            gymnasium.register(name, entry_point=f"{__name__}:make_for_gymnasium", kwargs={"env_id": spec.id})
            registered.append(name)
    return registered


def make_for_gymnasium(env_id: str, **config: Any) -> Any:
    """The environment, where it has Gymnasium's `reset` and `step`."""
    env = make(env_id, **config)
    if not is_multi_turn(env):
        raise ContractError(
            f"{env_id} has no reset and step, so Gymnasium cannot run it.",
            "Make it a MultiTurnEnv or ToolEnv, or run it with grpo_env_sdk.evaluate.",
        )
    return env


register_installed()
