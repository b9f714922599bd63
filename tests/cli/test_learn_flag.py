"""`grpo-env test --learn` and `--model`, which need a trainer."""

import json
import shutil
import sys

import pytest

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.cli import main
from grpo_env_sdk.registry import entry_points as installed
from grpo_env_sdk.registry import plugins

SANDBOX = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
COUNTDOWN = "tests.environments:Countdown"
UNSOLVED = """
class Unsolved:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {i}."} for i in range(20)]

    def score_episode(self, model, tokenizer, completion):
        return float(len(completion) < 9)
"""


@pytest.fixture
def no_plugins(site, monkeypatch):
    """A machine on which no plugin is installed."""
    monkeypatch.setattr(sys, "path", [path for path in sys.path if not path.endswith("site-packages")])
    installed.forget()
    plugins.forget()
    all_checks.cache_clear()
    yield
    all_checks.cache_clear()


@pytest.mark.parametrize("flags", [["--learn"], ["--model", "some/model"]])
def test_without_a_trainer_it_says_what_to_install(no_plugins, capsys, flags):
    assert main(["test", COUNTDOWN, *flags]) == 2
    assert "no trainer is installed. pip install grpo-env-trl" in capsys.readouterr().err


def test_what_cannot_be_trained_is_undecided_and_no_failure(grpo_env, tmp_path):
    (tmp_path / "unsolved.py").write_text(UNSOLVED)
    done = grpo_env("test", "unsolved:Unsolved", "--select", "C101", "--learn", "--json")
    assert done.returncode == 0, done.stderr
    (gap,) = json.loads(done.stdout)["undecided"]
    assert gap == {
        "checks": ["L901"], "why": "It has no solve(row).",
        "would_help": "Add solve(row), which gives the gold answer of a row.", "again": None,
    }  # fmt: skip


@pytest.mark.slow
def test_a_training_is_shown_as_it_goes_and_its_verdict_is_told(grpo_env):
    flags = ["--select", "C101", "--learn", "-v"]
    quiet = {"PYTHONWARNINGS": "ignore::FutureWarning"}  # transformers has one about a name of its own
    done = grpo_env("test", "tests.gallery.sound.reading:Reading", *flags, timeout=300, **quiet)
    assert done.returncode == 0, done.stderr
    assert "now L901, learning: " in done.stderr
    assert "info L901  Learned: " in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("pool", ["process", pytest.param("sandbox", marks=SANDBOX)])
def test_its_verdict_comes_from_every_pool(grpo_env, pool):
    flags = ["--select", "C101", "--learn", "--env-pool", pool, "--json"]
    done = grpo_env("test", "tests.gallery.broken_rewards:UpsideDown", *flags, timeout=500)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["findings"]
    assert found["id"] == "L901"
    assert found["message"].startswith("Upside down: ")
