"""Paths that nobody can use, such as those in a locked folder: one line and exit code 2 in every command."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main
from tests.forked_commands import user_environment

ENV = "tests.environments:Phonebook"
LONG = "a" * 300
AS_PLAIN_USER = """
import ctypes, os, sys
if os.geteuid() == 0:  # without the capabilities to read and to enter what is locked, and that from `exec` on
    PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
{before}
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])
"""
SEVERAL = """
import json, sys
from grpo_env_sdk.cli import main
for words in json.load(sys.stdin):
    print(json.dumps(words), main(words), file=sys.stderr)
"""
COMMANDS = [
    ["view", "{}/run"],
    ["view", "{}"],
    ["runs", "show", "{}/run"],
    ["runs", "rm", "{}/run", "--yes"],
    ["runs", "--dir", "{}"],
    ["runs", "--dir", "{}/run"],
    ["runs", "{}/run"],
    ["diff", "{}/run", "run"],
    ["rescore", "{}/run"],
    ["rescore", "run", "--out", "{}/new"],
    ["eval", "--resume", "{}/run"],
    ["eval", ENV, "--model", "gold", "--out", "{}/new"],
    ["eval", ENV, "--model", "gold", "--config", "{}/plan.toml"],
    ["eval", ENV, "--model", "replay:{}/run"],
    ["eval", ENV, "--model", "{}/run"],
    ["view", "run", "--export", "{}/page.html"],
    ["test", ENV, "--junit", "{}/found.xml"],
    ["test", ENV, "--html", "{}/found.html"],
    ["test", ENV, "--badge", "{}/found.svg"],
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with a run."""
    monkeypatch.chdir(tmp_path)
    evaluate(ENV, "gold", rows=2, out="run")
    return tmp_path


@pytest.fixture
def locked(folder):
    """A folder with a run that cannot be entered."""
    shutil.copytree("run", "locked/run")
    os.chmod("locked", 0)
    yield folder / "locked"
    os.chmod("locked", 0o700)


def results(commands, cwd, before=""):
    """What each command printed, and its exit code; one that ended with a traceback ends them all.

    `before` is code that runs once the process is in its working directory.
    """
    words = [sys.executable, "-c", AS_PLAIN_USER.format(before=before), SEVERAL]
    given = {"cwd": cwd, "env": user_environment(), "input": json.dumps(commands)}
    ended = subprocess.run(words, **given, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stderr.splitlines()


def filled(place):
    return [[word.format(place) for word in words] for words in COMMANDS]


def test_a_path_in_a_folder_that_cannot_be_entered_is_one_line_in_every_command(locked):
    lines = iter(results(filled("locked"), locked.parent))
    for words in filled("locked"):
        line = next(lines)
        assert line.startswith("grpo-env: "), words
        assert "locked" in line, words
        assert "ermission denied" in line or "No policy" in line, words
        assert next(lines) == f"{json.dumps(words)} 2"


@pytest.mark.parametrize(
    "words", [*filled(LONG), ["init", LONG], ["rescore", "run", "--env", LONG], ["eval", LONG, "--model", "gold"],
              ["info", LONG], ["test", LONG]], ids=" ".join,
)  # fmt: skip
def test_a_name_of_more_than_255_bytes_is_one_line_in_every_command(folder, words, capsys):
    assert main(words) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("note: ")]
    assert line.startswith("grpo-env: ")
    assert "too long" in line or "there is no folder" in line or line.startswith(("grpo-env: No env", "grpo-env: No p"))


def test_the_middle_of_a_long_path_is_left_out(folder, capsys):
    assert main(["runs", "--dir", LONG, "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["hint"] == "Name a shorter path."
    assert "aaa...aaa" in error["message"]
    assert len(error["message"]) < 120


@pytest.mark.parametrize(("key", "value"), [("env", LONG), ("policy", f"replay:{LONG}")])
@pytest.mark.parametrize("words", [["rescore", "run", "--trust"], ["eval", "--resume", "run", "--trust"]], ids=" ".join)
def test_a_long_name_in_a_foreign_run_is_one_line(folder, capsys, key, value, words):
    manifest = json.loads((folder / "run/manifest.json").read_text()) | {key: value}
    (folder / "run/manifest.json").write_text(json.dumps(manifest))
    records = [json.loads(line) for line in (folder / "run/episodes.jsonl").read_text().splitlines()]
    lines = [json.dumps(record | ({key: value} if key == "env" else {})) for record in records]
    (folder / "run/episodes.jsonl").write_text("".join(f"{line}\n" for line in lines))
    code = main(words)
    assert code == (0 if (key, words[0]) == ("policy", "rescore") else 2)  # which needs no policy
    assert len([line for line in capsys.readouterr().err.splitlines() if line.startswith("grpo-env: ")]) == code / 2


def test_a_working_directory_below_a_locked_folder_is_named(tmp_path):
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (inner / "strange.py").write_text("class Env: pass\n")
    try:
        line, code = results([["info", "strange:Env"]], inner, before=f"os.chmod({str(inner.parent)!r}, 0)")
    finally:
        inner.parent.chmod(0o700)
    assert code.endswith(" 2")
    assert "outer/inner' cannot be read" in line
    assert "Permission denied" in line
    assert "Did you mean" not in line
