"""`eval --resume` of a run that lacks nothing prints its summary, whatever became of its environment."""

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
def install(site):
    """Installs one version in the place of another one."""

    def run(version, envs=("half-v1",)):
        for number, folder in enumerate(site.folder.glob("halves-*.dist-info")):
            folder.rename(site.folder / f"gone-{version}-{number}")
        found = dict.fromkeys(envs, "half:Half")
        site.install("halves", version=version, envs=found, modules={"half.py": HALF})

    return run


@pytest.fixture
def complete(workplace, install, capsys):
    """A run of version 1.0, of which another one is installed by now."""
    install("1.0")
    assert main(["eval", "half-v1", "-m", "echo", "--split", "all", "--out", "run", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    install("2.0")
    return printed


def test_an_upgrade_is_none_of_its_business(complete, capsys):
    before = Path("run/summary.json").read_text()
    assert main(["eval", "--resume", "run", "--json"]) == 0
    printed, told = capsys.readouterr()
    assert json.loads(printed) == complete
    assert told == ""
    assert Path("run/summary.json").read_text() == before


def test_nor_is_a_package_that_is_gone(complete, install, capsys):
    install("3.0", envs=())
    assert main(["eval", "--resume", "run"]) == 0
    assert "echo on half-v1: reward 0.500" in capsys.readouterr().out


def test_the_limit_is_checked_again(complete, capsys):
    assert main(["eval", "--resume", "run", "--min-reward", "0.6"]) == 1
    assert "--min-reward 0.6: failed" in capsys.readouterr().out


def test_a_run_that_was_killed_before_it_had_a_summary_gets_one(complete, capsys):
    Path("run/summary.json").unlink()
    assert main(["eval", "--resume", "run"]) == 0
    assert json.loads(Path("run/summary.json").read_text())["episodes"] == 4


@pytest.mark.parametrize("more", [(), ("--baselines",)])
def test_what_has_to_play_is_refused_as_before(complete, capsys, more):
    if not more:
        lines = Path("run/episodes.jsonl").read_text().splitlines(keepends=True)
        Path("run/episodes.jsonl").write_text("".join(lines[:3]))
    assert main(["eval", "--resume", "run", *more]) == 2
    assert 'env_version was "1.0" and is "2.0"' in capsys.readouterr().err


def test_one_that_mixes_two_versions_is_complete_once_it_has_ended(complete, install, capsys):
    assert main(["eval", "--resume", "run", "--force"]) == 0
    install("3.0")
    assert main(["eval", "--resume", "run", "--json"]) == 0
    printed, told = capsys.readouterr()
    assert json.loads(printed.splitlines()[-1])["episodes"] == 4
    assert "resumed with --force although" in told
