"""Listing: from the file in the wheel, without Gymnasium."""

import json
import subprocess
import sys

import gymnasium

from grpo_env_gymnasium import index
from grpo_env_gymnasium.plugin import grpo_env_register_envs

HEAVY = ("gymnasium", "numpy", "grpo_env_gymnasium.env")


def test_listing_imports_neither_gymnasium_nor_the_adapter():
    code = f"""
import sys
from grpo_env_gymnasium.plugin import grpo_env_register_envs
assert len(grpo_env_register_envs()) > 25
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_the_index_has_what_the_installed_gymnasium_registers():
    for entry in index.listed():
        assert entry.id in gymnasium.registry
    listed = {entry.id for entry in index.listed()}
    light = {
        spec.id
        for spec in gymnasium.registry.values()
        if str(spec.entry_point).startswith(("gymnasium.envs.toy_text", "gymnasium.envs.classic_control"))
    }
    assert light - listed == {"CartPole-v0"}  # Gymnasium says itself that it is out of date


def test_what_is_not_installed_is_shown_as_needed():
    specs = {spec.id: spec for spec in grpo_env_register_envs()}
    assert specs["gym/FrozenLake-v1"].needs is None
    extras = json.loads(index.FILE.read_text())["extras"]
    lacking = {extra for extra, module in extras.items() if index.find_spec(module) is None}
    assert (specs["gym/Ant-v5"].needs == "'gymnasium[mujoco]'") == ("mujoco" in lacking)
    assert specs["gym/phys2d.CartPole-v1"].config == {"id": "phys2d/CartPole-v1"}


def test_each_version_of_gymnasium_has_ids_of_its_own():
    whole = json.loads(index.FILE.read_text())
    ids = {version: {item["id"] for item in index._of(whole, index.release(version))} for version in ("1.0", "1.9")}
    assert "Taxi-v3" in ids["1.0"] - ids["1.9"]
    assert "Taxi-v4" in ids["1.9"] - ids["1.0"]
    assert index.release("1.4.0rc1") == (1, 4)
