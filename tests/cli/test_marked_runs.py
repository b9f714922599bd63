"""Runs whose rewards are not those of one evaluation say so wherever they are read."""

import json
from pathlib import Path

import pytest

from grpo_env_sdk.cli import main

HALF = """
class Half:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {n}.", "n": n} for n in range(4)]

    def score_episode(self, model, tokenizer, completion, n):
        return 0.5
"""


@pytest.fixture
def done(capsys):
    """Runs a command that has to work: gives what it printed."""

    def run(*words):
        assert main([*words]) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture
def runs(workplace, site, done):
    """`runs/mixed` has episodes of two versions; `runs/again` was rescored, and `runs/plain` is of one version."""
    words = ("-m", "echo", "--split", "all", "--out")

    def install(version):
        site.install("halves", version=version, envs={"half-v1": "half:Half"}, modules={"half.py": HALF})

    install("1.0")
    done("eval", "half-v1", *words, "runs/plain")
    done("eval", "half-v1", *words, "runs/mixed")
    done("rescore", "runs/plain", "--out", "runs/again")
    episodes = Path("runs/mixed/episodes.jsonl")
    episodes.write_text("".join(episodes.read_text().splitlines(keepends=True)[:2]))
    for folder in site.folder.glob("halves-*"):
        folder.rename(site.folder / "gone")
    install("2.0")
    done("eval", "--resume", "runs/mixed", "--force")


CHANGED = 'resumed with --force although env_version was "1.0" and is "2.0"'


def test_a_list_marks_them(runs, done):
    lines = {line.split()[0]: line for line in done("runs").splitlines()}
    assert "4/4, resumed with --force" in lines["runs/mixed"]
    assert "4/4, rescored" in lines["runs/again"]
    assert "4/4  " in lines["runs/plain"]
    found = {one["run"]: one for one in json.loads(done("runs", "--json"))["runs"]}
    assert [one["rescored_from"] for one in found.values()].count(None) == 2
    assert found["runs/again"]["rescored_from"] == "runs/plain"
    assert found["runs/plain"]["forced"] == []
    assert 'env_version was "1.0"' in found["runs/mixed"]["forced"][0]["differences"][0]


@pytest.mark.parametrize(("run", "told"), [("mixed", CHANGED), ("again", "rescored from runs/plain")])
def test_what_shows_one_says_why(run, told, runs, done):
    assert f"note: {told}" in done("runs", "show", f"runs/{run}")
    done("view", f"runs/{run}", "--export", "page.html")
    assert json.dumps(told)[1:-1] in Path("page.html").read_text()


def test_any_other_says_nothing(runs, done):
    shown = done("runs", "show", "runs/plain")
    assert "note: re" not in shown
