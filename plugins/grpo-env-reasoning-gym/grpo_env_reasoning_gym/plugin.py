"""Registers one environment for each dataset, from an index, without importing reasoning-gym."""

import json
from pathlib import Path

from grpo_env_sdk import EnvSpec, hookimpl
from grpo_env_sdk.ext import version_of

PACKAGE = "reasoning-gym"
INDEX = Path(__file__).with_name("index.json")
"""Written by make_index.py: each dataset, its category, and the first release of reasoning-gym that has it."""


@hookimpl
def grpo_env_register_envs() -> list[EnvSpec]:
    """`rg/chain_sum-v1` and so on; a dataset that the installed reasoning-gym does not have says what it needs."""
    installed = version_of(PACKAGE)
    return [
        EnvSpec(
            id=f"rg/{name}-v1",
            entry_point=f"grpo_env_reasoning_gym.datasets:{name}",
            summary=f"{name.replace('_', ' ')}, one of the {told['category']} tasks of reasoning-gym",
            kind="single-turn",
            needs=needed(told["since"], installed),
        )
        for name, told in json.loads(INDEX.read_text(encoding="utf-8")).items()
    ]


def needed(since: str, installed: str | None) -> str | None:
    """The package that must be installed before a dataset can be used, or None."""
    if installed is None:
        return "reasoning-gym"
    return None if _as_numbers(installed) >= _as_numbers(since) else f"'reasoning-gym>={since}'"


def _as_numbers(release: str) -> list[int]:
    return [int(part) for part in release.split(".") if part.isdigit()]
