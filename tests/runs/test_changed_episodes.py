"""Episodes and summaries that were changed after the run had ended are noted, and no limit passes on them."""

import json
import os
import shutil

import pytest

from grpo_env_sdk import GrpoEnvWarning, evaluate, open_run
from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.changed_episodes import is_changed
from grpo_env_sdk.runs.integrity import SEAL
from grpo_env_sdk.runs.reading import EPISODES, SUMMARY
from grpo_env_sdk.runs.signing import signed
from grpo_env_sdk.runs.writing import resume_run
from tests.environments import Guess

NOTE = "The episodes.jsonl of run was changed after the run had ended"


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    """A run whose mean reward is 1."""
    monkeypatch.chdir(tmp_path)
    evaluate(Guess, "gold", split="all", rows=2, out="run")
    return tmp_path / "run"


def edit_rewards(path):
    text = (path / EPISODES).read_text()
    (path / EPISODES).write_text(text.replace('"reward": 1.0', '"reward": 0.5'))


def listed(capsys, *words):
    capsys.readouterr()
    assert main(["runs", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def means(capsys):
    """The mean rewards that `show` and `list` have."""
    return [
        listed(capsys, "show", "run")["summary"]["reward"]["mean"],
        listed(capsys, "--dir", ".")["runs"][0]["reward"]["mean"],
    ]


def test_changed_episodes_are_noted_and_all_commands_have_the_same_numbers(path, capsys):
    edit_rewards(path)
    assert means(capsys) == [0.5, 0.5]
    commands = (
        ["runs", "--dir", "."], ["runs", "show", "run"], ["runs", "show", "run", "--row", "0"], ["diff", "run", "run"],
        ["view", "run", "--export", "page.html"], ["eval", "--resume", "run"],
    )  # fmt: skip
    for command in commands:
        assert main(command) == 0
        told = capsys.readouterr().err
        assert told.count(NOTE) == 1, command
        assert f"delete run/{SEAL}" in told


def test_no_limit_passes_on_changed_episodes_until_the_seal_is_gone(path, capsys):
    edit_rewards(path)
    commands = (["eval", "--resume", "run", "--min-reward", "0.1"], ["diff", "run", "run", "--max-drop", "0.1"])
    for command in commands:
        assert main(command) == 2
        assert f"{NOTE}, so no limit is checked on it." in capsys.readouterr().err
    (path / SEAL).unlink()
    for command in commands:
        assert main(command) == 0


def test_a_changed_summary_is_not_believed(path, capsys):
    summary = json.loads((path / SUMMARY).read_text())
    (path / SUMMARY).write_text(json.dumps(summary | {"reward": {"mean": 0.9, "low": 0.9, "high": 0.9}, "episodes": 9}))
    assert means(capsys) == [1.0, 1.0]
    assert listed(capsys, "show", "run")["lost"] == 0
    (path / SEAL).unlink()
    assert means(capsys) == [1.0, 1.0]


def test_the_list_reads_no_episodes_of_a_run_that_nobody_has_touched(path, capsys):
    times = os.stat(path / EPISODES)
    (path / EPISODES).write_bytes(b"?" * times.st_size)
    os.utime(path / EPISODES, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert listed(capsys, "--dir", ".")["runs"][0]["reward"]["mean"] == 1.0


def copied(path):
    shutil.copytree(path, "copy")
    os.utime("copy/episodes.jsonl")
    return "copy"


def with_a_torn_line(path):
    with (path / EPISODES).open("a") as file:
        file.write('{"env"')


def with_a_seal_of_an_older_version(path):
    (path / SEAL).write_text(json.dumps(signed({"files": json.loads((path / SEAL).read_text())["files"]})))


def without_a_seal(path):
    (path / SEAL).unlink()


@pytest.mark.parametrize("what", [copied, with_a_torn_line, with_a_seal_of_an_older_version, without_a_seal])
def test_what_is_no_change_is_not_noted(path, what):
    run = open_run(what(path) or path)
    assert not is_changed(run)
    assert not is_changed(run, quickly=True)


def test_a_resumed_run_that_is_killed_has_no_seal_and_the_next_one_seals_it_again(path):
    run = open_run(path)
    writer = resume_run(run, run.manifest)
    assert not (path / SEAL).exists()
    for file in (writer._lock, writer._file):  # as where its process is killed
        file.close()
    resume_run(run, run.manifest).close()
    assert not is_changed(run)
    edit_rewards(path)
    assert is_changed(run)
    with pytest.warns(GrpoEnvWarning, match="was changed after"):
        resume_run(run, run.manifest).close()
    assert is_changed(run)
