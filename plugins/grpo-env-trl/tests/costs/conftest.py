"""What the tests of a plan share: a small model on disk, and the command."""

import json

import pytest

from grpo_env_sdk.cli import main

SIZES = (
    "--max-steps 3 --per-device-train-batch-size 4 --num-generations 2 --max-completion-length 12 --eval-rows 2 "
    "--gradient-checkpointing false"
)


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """The folder of a tiny model."""
    from tiny_models import save_tiny_model

    return str(save_tiny_model("qwen3", tmp_path_factory.mktemp("models") / "qwen3"))


@pytest.fixture
def plan(model, tmp_path, monkeypatch, capsys):
    """Runs `grpo-env train ... --plan`: gives exit code, stdout and stderr; nothing may be left in the folder."""
    monkeypatch.chdir(tmp_path)

    def run(words, sizes=SIZES, model=model):
        there = sorted(tmp_path.iterdir())
        capsys.readouterr()
        code = main(["train", *words.split(), "--model", str(model), *sizes.split(), "--plan"])
        assert sorted(tmp_path.iterdir()) == there
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def figures(plan):
    """The figures of a plan as JSON."""

    def found(words, **changes):
        code, out, told = plan(f"{words} --json", **changes)
        assert code == 0, told
        return json.loads(out)

    return found
