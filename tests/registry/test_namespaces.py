"""Namespaces in the place of environments."""

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import GrpoEnvWarning, UnknownNameError
from grpo_env_sdk.registry.namespaces import with_namespaces

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
