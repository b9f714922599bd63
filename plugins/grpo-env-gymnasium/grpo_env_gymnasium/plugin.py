"""Registers every environment of the installed Gymnasium, from the index in this package."""

from grpo_env_gymnasium.index import Entry, listed
from grpo_env_sdk import EnvSpec, hookimpl

ENTRY_POINT = "grpo_env_gymnasium.env:GymnasiumEnv"


@hookimpl
def grpo_env_register_envs() -> list[EnvSpec]:
    """One environment for each id, as `gym/FrozenLake-v1`; Gymnasium itself is not imported."""
    return [_spec(entry) for entry in listed()]


def _spec(entry: Entry) -> EnvSpec:
    return EnvSpec(
        f"gym/{entry.id.replace('/', '.')}",  # an id may have only one slash
        ENTRY_POINT,
        summary=entry.summary,
        kind="multi-turn",
        config={"id": entry.id},
        needs=entry.needs,
    )
