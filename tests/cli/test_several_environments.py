"""Several environments at the same time: reports in order, errors in their place, and nothing left behind."""

import json
import os
import signal
import time
from functools import partial

import pytest

from tests.forked_commands import user_environment

ENVS = """
import os, time

class Sums:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"{n} + {n}?", "answer": str(2 * n)} for n in range(20)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip() == answer)


class Late(Sums):
    def build_dataset(self, tokenizer):
        time.sleep(0.5)
        return super().build_dataset(tokenizer)


class Empty(Sums):
    def build_dataset(self, tokenizer):
        return []


class Hangs(Sums):
    def build_dataset(self, tokenizer):
        with open(os.environ["GRPO_TEST_PIDS"], "a") as file:
            file.write(f"{os.getpid()}\\n")
        time.sleep(600)


class HangsToo(Hangs):
    pass


class HangsAsWell(Hangs):
    pass
"""


@pytest.fixture
def test(grpo_env, tmp_path):
    """`grpo-env test` beside these environments, with a cache of its own."""
    (tmp_path / "envs.py").write_text(ENVS)
    return partial(grpo_env, "test", XDG_CACHE_HOME=str(tmp_path / "cache"))


def test_reports_are_whole_and_in_the_order_of_the_names(test):
    done = test("envs:Late", "envs:Sums", "envs:Empty", "--jobs", "3", "--select", "C101,C102")
    first = [line for line in done.stdout.splitlines() if line.startswith("envs:")]
    assert [line.split("  ")[0] for line in first] == ["envs:Late: sound", "envs:Sums: sound", "envs:Empty: untestable"]
    assert done.returncode == 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_one_that_cannot_be_imported_is_its_own_line_and_the_others_are_tested(test, jobs):
    done = test("envs:Smus", "envs:Sums", "--jobs", jobs, "--select", "C101", "--json")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["id"] for one in told] == ["envs:Smus", "envs:Sums"]
    assert "Did you mean 'Sums'?" in told[0]["error"]["hint"]
    assert told[1]["verdict"] == "sound"
    assert done.returncode == 2


def test_an_unknown_id_among_several_is_refused_before_anything_runs(test, tmp_path):
    done = test("envs:Sums", "hotle-v1", "--jobs", "2")
    assert done.returncode == 2
    assert "hotel-v1" in done.stderr
    assert done.stdout == ""


def test_a_report_is_compared_and_only_what_is_new_fails(test, tmp_path):
    before = test("envs:Empty", "envs:Sums", "--select", "C101,C102", "--json")
    assert before.returncode == 1
    (tmp_path / "a.json").write_text(before.stdout)
    again = test("envs:Empty", "envs:Sums", "--select", "C101,C102", "--diff", "a.json", "--jobs", "2", "--json")
    told = [json.loads(line)["changes"] for line in again.stdout.splitlines()]
    assert [one["verdict_before"] for one in told] == ["untestable", "sound"]
    assert [one["unchanged"] for one in told] == [1, 0]
    assert again.returncode == 1, "what cannot be tested at all fails, as nothing can be compared"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--jobs", "0"], "--jobs must be a whole number of at least 1, got 0"),
        (["--jobs", "2", "--env-pool", "thread"], "--env-pool thread tests one environment at a time."),
        (["--badge", "a.svg", "--select", "C101"], "--badge shows the verdict of all checks."),
        (["--badge", "none/a.svg"], "'none/a.svg' cannot be written: there is no folder 'none'."),
        (["--html", "."], "'.' cannot be written: it is a folder."),
        (["--diff", "none.json"], "The report 'none.json' cannot be read"),
        (["--diff", "envs.py"], "'envs.py' is no report of `grpo-env test`"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(test, arguments, why):
    done = test("envs:Sums", "envs:Late", *arguments)
    assert done.returncode == 2
    assert why in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == "", "nothing is tested first"


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_process(fork_server, tmp_path, number):
    (tmp_path / "envs.py").write_text(ENVS)
    pids, scratch = tmp_path / "pids", tmp_path / "scratch"
    pids.touch()
    scratch.mkdir()
    environment = user_environment(GRPO_TEST_PIDS=str(pids), TMPDIR=str(scratch))
    words = ("test", "envs:Hangs", "envs:HangsToo", "envs:HangsAsWell", "--jobs", "2")
    process = fork_server.start("grpo_env_sdk", *words, cwd=tmp_path, environment=environment)
    while len(started := pids.read_text().split()) < 2:
        time.sleep(0.02)
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert os.listdir(scratch) == []
    while any(map(runs, started)):
        time.sleep(0.02)
    assert len(pids.read_text().split()) == 2


def test_an_interrupt_keeps_the_reports_that_are_there(fork_server, tmp_path):
    (tmp_path / "envs.py").write_text(ENVS)
    pids = tmp_path / "pids"
    pids.touch()
    environment = user_environment(GRPO_TEST_PIDS=str(pids))
    words = ("test", "envs:Hangs", "envs:Sums", "envs:HangsToo", "--jobs", "2", "--select", "C", "--junit", "out.xml")
    process = fork_server.start("grpo_env_sdk", *words, cwd=tmp_path, environment=environment)
    while len(pids.read_text().split()) < 2:  # the third one begins once the second has ended
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "envs:Sums" in out
    assert "envs:Hangs, envs:HangsToo" in err
    written = (tmp_path / "out.xml").read_text()
    assert "envs:Sums" in written
    assert "1 of 3 tested" in written
