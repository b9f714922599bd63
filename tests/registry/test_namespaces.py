"""Namespaces in the place of environments."""

from argparse import Namespace

import pytest

from grpo_env_sdk.checking.runner.check_env import check_plan, check_target
from grpo_env_sdk.cli import main
from grpo_env_sdk.cli.testing_command import targets
from grpo_env_sdk.errors import BrokenPackageError, GrpoEnvWarning, UnknownNameError
from grpo_env_sdk.registry.namespaces import all_installed, with_namespaces

PLUGIN = """
    from grpo_env_sdk import EnvSpec, hookimpl

    @hookimpl
    def grpo_env_register_envs():
        ready = [EnvSpec(f"zoo/{name}-v1", "beasts:Beast") for name in ("emu", "ape")]
        return [*ready, EnvSpec("zoo/yak-v1", "beasts:Beast", needs="yak-herd"), EnvSpec("zoos-v1", "beasts:Beast")]
"""
BEAST = """
    class Beast:
        def build_dataset(self, tokenizer):
            return [{"prompt": f"{n}?", "answer": str(n)} for n in range(9)]

        def score_episode(self, model, tokenizer, completion, answer):
            return float(completion == answer)
"""


@pytest.fixture(autouse=True)
def zoo(no_plugins):
    no_plugins.install("zoo", plugins={"hooks": "zoo_hooks"}, modules={"zoo_hooks.py": PLUGIN, "beasts.py": BEAST})


@pytest.mark.parametrize("name", ["zoo/", "zoo/*"])
def test_a_namespace_is_each_environment_in_it_that_is_ready(name):
    with pytest.warns(GrpoEnvWarning, match="zoo/: 1 of 3 are left out"):
        assert with_namespaces(["zoo/emu-v1", name, "a:B"]) == ["zoo/emu-v1", "zoo/ape-v1", "a:B"]


def test_an_id_of_two_packages_is_named_with_each(site):
    site.install("other", envs={"zoo/emu-v1": "beasts:Beast"})
    with pytest.warns(GrpoEnvWarning):
        assert set(with_namespaces(["zoo/"])) == {"zoo/ape-v1", "zoo:zoo/emu-v1", "other:zoo/emu-v1"}


def test_a_namespace_that_nobody_has_is_answered_with_a_near_one():
    with pytest.raises(UnknownNameError, match=r"No env is in zop/\. Did you mean 'zoo/'"):
        with_namespaces(["zop/"])


def test_eval_and_test_take_a_namespace(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["eval", "zoo/*", "--model", "echo", "--dry-run"]) == 0
    assert "zoo/ape-v1" in (out := capsys.readouterr().out)
    assert "zoo/emu-v1" in out
    assert main(["test", "zoo/", "--select", "C101", "--env-pool", "thread"]) == 0
    assert capsys.readouterr().out.count("zoo/") == 2


def test_all_installed_are_those_that_need_no_package(site):
    site.install("other", envs={"emu-v1": "beasts:Beast"})
    with pytest.warns(GrpoEnvWarning, match="--all: 1 of .* are left out"):
        found = {spec.id for spec in all_installed()}
    assert {"emu-v1", "zoo/ape-v1", "zoo/emu-v1", "zoos-v1", "hotel-v1"} <= found
    assert "zoo/yak-v1" not in found


def test_test_takes_all_and_one_that_is_declared_wrongly_is_not_tested(site):
    site.install("other", envs={"Emu": "beasts:Beast", "zoo/emu-v1": "beasts:Beast"})
    with pytest.warns(GrpoEnvWarning, match="--all: 1 of .* are left out"):
        found = {each.name: each for each in targets(Namespace(all=True, envs=[], env_pool="process"), None)}
    assert {"Emu", "other:zoo/emu-v1", "zoo/ape-v1", "zoo:zoo/emu-v1", "zoos-v1", "hotel-v1"} <= set(found)
    with pytest.raises(BrokenPackageError, match="the id 'Emu' is not like 'emu-v1'"):
        check_target(found["Emu"], check_plan(select="C101"))


@pytest.mark.parametrize(
    ("words", "told"), [((), "No environment is named."), (("zoos-v1", "--all"), "--all contradicts the names.")]
)
def test_test_takes_names_or_all(words, told, capsys):
    assert main(["test", *words]) == 2
    assert f"{told} Name environments, or give --all" in capsys.readouterr().err
