import sys
from pathlib import Path

import pytest

from grpo_env_sdk.cli import main

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """The folder of a tiny model of a family."""
    made = {}

    def saved(family):
        from tiny_models import save_tiny_model

        if family not in made:
            made[family] = save_tiny_model(family, tmp_path_factory.mktemp("models") / family)
        return str(made[family])

    return saved


@pytest.fixture
def dry_run(tmp_path, monkeypatch, capsys):
    """What `grpo-env train ... --dry-run` answers: its exit code, and what it wrote for people."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        capsys.readouterr()
        code = main(["train", *words, "--dry-run"])
        assert not (tmp_path / "runs").exists()
        return code, capsys.readouterr().err

    return run
