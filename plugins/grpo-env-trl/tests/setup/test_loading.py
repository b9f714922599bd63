"""Which environments a training loads."""

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.errors import AmbiguousNameError
from grpo_env_sdk.registry import entry_points
from grpo_env_trl.settings import TrainSettings
from grpo_env_trl.setup.loading import trained_envs

INN = """
class Inn:
    def build_dataset(self, tokenizer):
        return [{"prompt": "Book a room."}] * 4
    def score_episode(self, model, tokenizer, completion):
        return 1.0
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Installs a package with one environment."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "site"
    monkeypatch.syspath_prepend(str(folder))

    def package(name, id):
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{entry_points.ENVS}]\n{id} = {name}:Inn\n")
        (folder / f"{name}.py").write_text(INN)
        entry_points.forget()

    entry_points.forget()
    yield package
    monkeypatch.undo()
    entry_points.forget()


@pytest.mark.parametrize("named", ["inn-v1", "inns:inn-v1"])
def test_a_resumed_training_finds_its_package_after_another_one_with_the_id_was_installed(install, named):
    install("inns", "inn-v1")
    evaluate("inn-v1", "random", split="all", rows=1, out="run")
    install("stranger", "inn-v1")
    (env,) = trained_envs(TrainSettings(env=named, eval_rows=0, resume="run"))
    assert env.loaded.spec.distribution == "inns"
    assert (env.name, env.typed_name) == ("inn-v1", "inns:inn-v1")
    with pytest.raises(AmbiguousNameError, match="Name one: inns:inn-v1 or stranger:inn-v1"):
        trained_envs(TrainSettings(env="inn-v1", eval_rows=0))


def test_a_training_of_a_short_name_goes_on_with_its_version(install):
    install("inns", "inn-v1")
    evaluate("inn-v1", "random", split="all", rows=1, out="run")
    install("stranger", "inn-v2")
    (env,) = trained_envs(TrainSettings(env="inn", eval_rows=0, resume="run"))
    assert (env.name, env.loaded.spec.distribution) == ("inn-v1", "inns")
