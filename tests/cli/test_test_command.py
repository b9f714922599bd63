import argparse
import errno
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.cli import main, testing_command
from grpo_env_sdk.cli.testing_output import write_reports
from grpo_env_sdk.errors import UsageError
from tests.full_disk import no_file_above

COUNTDOWN = "tests.environments:Countdown"
BROKEN = """
import random

class Broken:
    waive = {"C113": "kept for callers of the old name"}

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {random.random()}", "answer": "1"} for _ in range(4)]

    def score_episode(self, model, tokenizer, completion, answers=None):
        return 1.0
"""


HALF = """
from grpo_env_sdk import SingleTurnEnv, reward

class Half(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {n}."} for n in range(4)]

    @reward
    def facts(self, completion):
        return None

    @reward
    def form(self, completion):
        return 1.0
"""


@pytest.fixture
def test(grpo_env, tmp_path):
    """`grpo-env test` with a cache of its own, and a broken environment beside it."""
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "empty.py").write_text(BROKEN.replace("range(4)", "range(0)"))

    def run(*arguments):
        return grpo_env("test", *arguments, XDG_CACHE_HOME=str(tmp_path / "cache"))

    return run


def test_a_broken_environment_fails_and_says_what_to_do(test, tmp_path):
    done = test("broken:Broken", "--select", "contract", "--junit", "a.xml", "--html", "a.html", "--github")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("broken:Broken: findings  ")
    assert (
        "error C120  Building the rows twice in one process gives different rows, first at row 0 (broken.py:7)."
        in done.stdout
    )
    assert "    again     grpo-env test broken:Broken --select C120" in done.stdout
    assert "waived warning C113" in done.stdout
    assert "(kept for callers of the old name)" in done.stdout
    assert "::error file=broken.py,line=7,title=C120 broken%3ABroken::Building" in done.stdout
    assert ElementTree.parse(tmp_path / "a.xml").getroot()[0].get("failures") == "1"
    assert "C120" in (tmp_path / "a.html").read_text()
    assert not (tmp_path / "cache").exists()


def _without_a_reader(*arguments, folder):
    """The exit code and stderr of the real command where nobody reads its stdout, as after `| true`."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        command = [sys.executable, "-m", "grpo_env_sdk", *arguments]
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, cwd=folder, text=True, check=False)
    finally:
        os.close(writer)
    return done.returncode, done.stderr


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_reader_who_goes_away_takes_neither_the_files_nor_the_exit_code(test, tmp_path, flags):
    files = ("--junit", "a.xml", "--html", "a.html")
    code, told = _without_a_reader("test", "broken:Broken", "--select", "C120", *files, *flags, folder=tmp_path)
    assert (code, "Traceback" in told) == (1, False), told
    assert ElementTree.parse(tmp_path / "a.xml").getroot()[0].get("failures") == "1"
    assert "C120" in (tmp_path / "a.html").read_text()


def test_an_evaluation_that_nobody_reads_keeps_its_exit_code(tmp_path):
    (tmp_path / "none.py").write_text(BROKEN.replace("return 1.0", "return None"))
    code, told = _without_a_reader("eval", "none:Broken", "--model", "random", folder=tmp_path)
    assert (code, "Traceback" in told) == (1, False), told


def test_a_named_reward_that_abstains_is_in_the_summary(grpo_env, tmp_path):
    (tmp_path / "half.py").write_text(HALF)
    shown = grpo_env("eval", "half:Half", "--model", "random", "--split", "all", "--out", "one").stdout
    assert "note: facts: abstained in 4 of 4 episodes." in shown
    assert re.search(r"^facts +-$", shown, re.MULTILINE)
    assert "note: facts: abstained in 4 of 4 episodes." in grpo_env("runs", "show", "one").stdout
    assert "note: facts: abstained in 4 of 4 episodes." in grpo_env("rescore", "one", "--out", "two").stdout
    again = json.loads(grpo_env("rescore", "one", "--json").stdout)
    assert again["abstained"] == {"facts": {"episodes": 4, "of": 4}, "form": {"episodes": 0, "of": 4}}


def test_the_files_are_written_before_the_report_is_printed(monkeypatch, tmp_path):
    """As on a disk that takes no more of the output."""
    there = []

    def full(*_):
        there.append((tmp_path / "a.xml").exists())
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(testing_command, "print_report", full)
    assert main(["test", COUNTDOWN, "--select", "C120", "--junit", "a.xml"]) == 2
    assert there == [True]


def test_what_other_commands_refuse_is_a_finding(test):
    done = test("empty:Broken", "--select", "contract", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert told["verdict"] == "untestable"
    assert told["findings"][0]["id"] == "C102"
    assert "returned no rows" in told["findings"][0]["message"]


def test_several_environments_are_one_object_a_line(test):
    done = test(COUNTDOWN, "empty:Broken", COUNTDOWN, "--select", "C101,C102", "--json")  # named twice, tested once
    assert [json.loads(line)["verdict"] for line in done.stdout.splitlines()] == ["sound", "untestable"]
    assert done.returncode == 1


def test_warnings_fail_where_strict(test, tmp_path):
    (tmp_path / "loud.py").write_text("print('loading')\nfrom tests.environments import Countdown\n")
    assert test("loud:Countdown", "--select", "C130").returncode == 0
    (tmp_path / "loud.py").write_text(
        "print('loading')\nfrom tests.environments import Countdown as C\nclass Loud(C): pass\n"
    )
    done = test("loud:Loud", "--select", "C130", "--strict")
    assert done.returncode == 1
    assert "Importing it prints to stdout (loud.py:1)." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing:Here"], "No module named 'nothing'"),
        (["broken:Brokn"], "Did you mean 'Broken'?"),
        (["broken:Broken", "--select", "C12x"], "No check or group named 'C12x'."),
        (["broken:Broken", "--quick", "--thorough"], "--quick and --thorough contradict each other."),
        (["broken:Broken", "--env-pool", "ray"], "invalid choice: 'ray'"),
        (["broken:Broken", "--timeout", "1"], "--timeout must be at least 5 seconds, got 1"),
        (["broken:Broken", "--env-config", '{"x": 1}'], "takes no config 'x'"),
        (["broken:Broken", "--select", "C101", "--html", "no/such/folder.html"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(test, arguments, told):
    done = test(*arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("flag", ["--github", "--fix-hints"])
def test_json_with_lines_beside_it_is_refused(flag, capsys):
    assert main(["test", COUNTDOWN, "--json", flag]) == 2
    assert f"--json and {flag} contradict each other." in json.loads(capsys.readouterr().out)["error"]["message"]


def test_all_can_be_done_in_this_process(test):
    done = test(COUNTDOWN, "--select", "C101", "--env-pool", "thread", "-v")
    assert done.returncode == 0
    assert "ok        C101" in done.stdout


def test_a_disk_that_is_full_leaves_the_report_that_was_there(tmp_path):
    page = tmp_path / "report.html"
    page.write_text("what was there")
    flags = argparse.Namespace(html=str(page), junit=None, badge=None)
    with no_file_above(100), pytest.raises(UsageError, match="cannot be written"):
        write_reports([Report("hotel-v1")], [], flags)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert page.read_text() == "what was there"
    write_reports([Report("hotel-v1")], [], flags)
    assert "hotel-v1" in page.read_text()
