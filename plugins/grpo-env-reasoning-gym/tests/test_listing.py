"""What `grpo-env list` shows of the adapter, and what it costs."""

import subprocess
import sys

import pytest
from reasoning_gym.factory import DATASETS

from grpo_env_reasoning_gym import plugin
from grpo_env_sdk import spec, specs
from grpo_env_sdk.errors import UnknownNameError


def listed():
    return [item for item in specs() if item.distribution == "grpo-env-reasoning-gym"]


def test_every_dataset_of_the_installed_release_is_listed_but_the_mixture():
    own = {name for name, (cls, _) in DATASETS.items() if cls.__module__.startswith("reasoning_gym.")}
    assert {item.id for item in listed()} == {f"rg/{name}-v1" for name in own - {"composite"}}
    assert len(listed()) > 100
    assert {item.status for item in listed()} == {"ok"}


def test_listing_imports_neither_reasoning_gym_nor_numpy():
    code = "import sys; from grpo_env_sdk import specs; specs(); print({'reasoning_gym', 'numpy'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


def test_without_reasoning_gym_each_id_says_what_to_install(monkeypatch):
    monkeypatch.setattr(plugin, "PACKAGE", "a-package-that-nobody-has")
    assert {(item.status, item.needs) for item in plugin.grpo_env_register_envs()} == {("needs", "reasoning-gym")}


@pytest.mark.parametrize(
    ("since", "installed", "needed"),
    [
        ("0.1.19", None, "reasoning-gym"),
        ("0.1.19", "0.1.19", None),
        ("0.1.25", "0.1.3", "'reasoning-gym>=0.1.25'"),
        ("0.1.3", "0.1.25", None),
        ("0.1.3", "0.2.dev1", None),
    ],
)
def test_a_dataset_needs_the_release_that_brought_it(since, installed, needed):
    assert plugin.needed(since, installed) == needed


def test_a_name_misspelt_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"Did you mean 'rg/chain_sum-v1'\?"):
        spec("rg/chain_sun-v1")
