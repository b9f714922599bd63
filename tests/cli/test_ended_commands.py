"""Commands whose environment ends the process as if all had gone well, or takes from it what commands need."""

import errno
import json
import signal
import subprocess
import sys
import time

import pytest

from tests.forked_commands import user_environment

ROUGH = """
import os
import sys
import threading
import warnings

from grpo_env_sdk import SingleTurnEnv, reward

class Rough(SingleTurnEnv):
    def __init__(self, when="", act="pass"):
        self.when, self.act = when, act
        self.at("constructor")

    def build_dataset(self, tokenizer):
        self.at("build")
        return [{"prompt": f"Say {number}.", "number": number} for number in range(4)]

    @reward
    def said(self, completion, number):
        self.at("score")
        return 1.0

    def at(self, place):
        if place == self.when:
            exec(self.act)

class Later(Rough):
    @reward
    async def said(self, completion, number):
        return super().said(completion, number)
"""


@pytest.fixture
def start(tmp_path, fork_server):
    """Begins to evaluate the environment, which does an act in one place."""
    (tmp_path / "rough.py").write_text(ROUGH)

    def start(when, act, *flags, env="Rough"):
        config = json.dumps({"when": when, "act": act})
        words = ["eval", f"rough:{env}", "--model", "echo", "--split", "all", "--env-config", config, *flags]
        return fork_server.start("grpo_env_sdk", *words, cwd=tmp_path, environment=user_environment())

    return start


@pytest.fixture
def run(start):
    """Does the same to the end."""

    def run(*words, **named):
        process = start(*words, **named)
        out, told = process.communicate()
        return subprocess.CompletedProcess(words, process.returncode, out, told)

    return run


ENDS = {
    "os._exit(0)": "os._exit(0)",
    "os._exit(status=0)": "os._exit(0)",
    "os._exit(256)": "os._exit(256)",  # whose lowest byte is 0
    "__import__('posix')._exit(0)": "os._exit(0)",
    "os.execv('/bin/true', ['true'])": "os.execv('/bin/true')",
    "os.execlp('true', 'true')": "os.execv(",
}


@pytest.mark.parametrize(
    ("when", "act"),
    [*((when, "os._exit(0)") for when in ("constructor", "build", "score")), *(("score", act) for act in ENDS)],
)
def test_an_environment_that_ends_the_process_as_a_success_is_a_failure_that_names_it(run, when, act):
    ended = run(when, act)
    assert ended.returncode == 2
    assert "rough:Rough" in ended.stderr.splitlines()[0]
    assert ENDS[act] in ended.stderr


AT_EXIT = "__import__('atexit').register"


@pytest.mark.parametrize("act", [f"{AT_EXIT}(lambda: os._exit(0))", f"{AT_EXIT}(os._exit, 0)"])
def test_one_whose_exit_handler_ends_the_process_is_a_failure_after_its_scores(run, act):
    ended = run("build", act, "--json")
    assert ended.returncode == 2
    assert json.loads(ended.stdout)["scored"] == 4
    assert ended.stderr.count("Code of the environment ended this process with os._exit(0)") == 1
    assert "Traceback" not in ended.stderr


def test_one_that_replaces_how_a_command_ends_keeps_no_failure_secret(run):
    ended = run("score", "sys.exit = sys.excepthook = lambda *given: os._exit(0); raise RuntimeError")
    assert ended.returncode == 1
    assert "0 scored" in ended.stdout


def test_one_that_closes_what_it_did_not_open_is_one_line_without_a_traceback(run):
    ended = run("score", "os.closerange(3, 4096)")
    assert ended.returncode == 2
    assert "closed descriptors that it did not open" in ended.stderr
    assert "Traceback" not in ended.stderr


REPLACED = """
import os
from grpo_env_sdk.errors import EnvironmentFailedError
from grpo_env_sdk.isolation.calls import command_process

try:
    with command_process.command_process(print):
        command_process.watch_from_now()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in range(nowhere + 1, 64):
            os.dup2(nowhere, number)
        raise OSError({number}, "as an event loop says")
except EnvironmentFailedError as exc:
    print(exc)
"""


@pytest.mark.parametrize("number", [errno.EBADF, errno.EINVAL, errno.ENOTSOCK, errno.EPERM])
def test_an_error_of_a_file_that_was_replaced_is_one_line_too(number):
    words = [sys.executable, "-c", REPLACED.format(number=number)]
    ended = subprocess.run(words, env=user_environment(), capture_output=True, text=True, check=True, timeout=120)
    assert "put other files in their place" in ended.stdout


HELD = "Path('held').touch(); ctypes.PyDLL(None).sleep(600)"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_whose_interpreter_is_held_before_its_run_ends_after_a_signal(start, tmp_path, number):
    held = start("build", f"import ctypes; from pathlib import Path; {HELD}", "--limit-build", "600")
    while not (tmp_path / "held").exists():
        time.sleep(0.05)
    held.send_signal(number)
    _, told = held.communicate()
    assert held.returncode == -signal.SIGKILL
    assert "Interrupted." in told
    assert "build_dataset" in told


def test_in_json_one_object_says_so(run):
    built, scored = run("build", "os._exit(0)", "--json"), run("score", "os._exit(0)", "--json")
    assert "build_dataset ended" in json.loads(built.stdout)["error"]["message"]
    assert scored.returncode == 2
    assert "(rough.py:" in scored.stderr or "<string>" in scored.stderr


def test_a_program_that_is_not_there_ends_nothing(run):
    ended = run("score", "os.execv('/no/such/program', ['x'])")
    assert "FileNotFoundError" in ended.stderr
    assert "0 scored" in ended.stdout


def test_what_an_environment_forks_may_end_as_it_likes(run):
    ended = run("score", "os.waitpid(os.fork() or os._exit(0), 0)", "--json")
    assert ended.returncode == 0
    assert "os._exit" not in ended.stderr


STREAMS_CLOSED = "os.close(0); os.close(1); os.close(2)"
TAKEN = {
    "sys.stdout.close()": "sys.stdout", "sys.stdout = None": "sys.stdout", "sys.stderr.close()": "sys.stderr",
    "sys.stderr = None": "sys.stderr", "del sys.stdout, sys.stderr": "sys.stdout and sys.stderr",
    "import io; sys.stdout = io.StringIO()": "sys.stdout", "sys.stdout = open('/dev/full', 'w')": "sys.stdout",
    "sys.stderr = open('/dev/full', 'w'); print('x', file=sys.stderr)": "sys.stderr", "sys.stdin = None": "sys.stdin",
    "sys.stdout = None; sys.stderr = open('/dev/full', 'w')": "sys.stdout and sys.stderr",
    STREAMS_CLOSED: "descriptor 0 and descriptor 1 and descriptor 2",
    "os.dup2(os.open(os.devnull, os.O_WRONLY), 1)": "descriptor 1", "os.chdir('/')": "the working directory",
    "import tempfile; here = tempfile.mkdtemp(); os.chdir(here); os.rmdir(here)": "the working directory",
    "sys.setrecursionlimit(60)": "recursion limit, to 60", "warnings.simplefilter('error', UserWarning)": "filters",
}  # fmt: skip


@pytest.mark.parametrize(
    ("act", "when", "env"),
    [
        *((act, "score", "Rough") for act in TAKEN),
        ("sys.stdout = None", "constructor", "Rough"),
        ("os.chdir('/')", "constructor", "Rough"),
        ("os.chdir('/')", "build", "Rough"),
        ("os.chdir('/')", "score", "Later"),
        ("import io; sys.stdout = io.StringIO()", "score", "Later"),
        ("sys.setrecursionlimit(60)", "score", "Later"),
    ],
)
def test_what_an_environment_takes_from_the_process_is_set_back_with_one_note(run, act, when, env):
    ended = run(when, act, "-n", "1", env=env)  # several at once would take it from each other
    assert ended.returncode == 0, ended.stderr
    assert "reward 1.000" in ended.stdout
    assert ended.stderr.count("set back") == 1
    assert TAKEN[act] in ended.stderr


@pytest.mark.parametrize("when", ["constructor", "build", "score"])
def test_a_run_is_where_the_command_began_wherever_environment_code_goes(run, tmp_path, when):
    ended = run(when, "os.chdir(__import__('tempfile').mkdtemp())")
    assert ended.returncode == 0, ended.stderr
    (kept,) = (tmp_path / "runs").iterdir()
    assert f"run runs/{kept.name}\n" in ended.stdout  # as it was written
    assert len((kept / "episodes.jsonl").read_text().splitlines()) == 4
    assert json.loads((kept / "summary.json").read_text())["scored"] == 4


TOGETHER = """
import os
import sys
import threading

from grpo_env_sdk import SingleTurnEnv, reward

class Together(SingleTurnEnv):
    there = threading.Barrier(2)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {number}.", "number": number} for number in range(2)]

    @reward
    def said(self, completion, number):
        self.there.wait()  # both calls are under way
        if number == 0:
            self.act()
        else:
            self.there.wait()  # until the other one has done it
            return 1.0
        return 1.0

    def act(self):
        os.chdir("/")
        sys.stdout = open(os.devnull, "w")
        threading.Timer(0.0, self.there.wait).start()

class Late(Together):
    def act(self):
        super().act()
        threading.Event().wait()  # so it never comes back
"""


@pytest.mark.parametrize(("env", "flags", "scored"), [("Together", (), 2), ("Late", ("--limit-call", "8"), 1)])
def test_what_calls_side_by_side_have_changed_is_set_back_after_the_last(tmp_path, fork_server, env, flags, scored):
    (tmp_path / "side.py").write_text(TOGETHER)
    words = ["eval", f"side:{env}", "--model", "echo", "--split", "all", "--out", "kept", *flags]
    ended = fork_server.run("grpo_env_sdk", *words, cwd=tmp_path, environment=user_environment())
    assert ended.returncode == 0, ended.stderr
    assert f"{scored} scored" in ended.stdout
    assert "run kept\n" in ended.stdout
    assert ended.stderr.count("set back") == 1
    assert json.loads((tmp_path / "kept" / "summary.json").read_text())["scored"] == scored


@pytest.mark.parametrize("act", ["sys.stdout = open('/dev/full', 'w'); print('x')", "os.close(1)", "os.close(2)"])
def test_an_exit_handler_that_spoils_the_streams_changes_no_exit_code(run, act):
    ended = run("build", f"{AT_EXIT}(lambda: exec({act!r}, globals()))")
    assert ended.returncode == 0, ended.stderr
    assert "reward 1.000" in ended.stdout


def test_filters_of_warnings_within_a_call_are_its_own(run):
    act = "with warnings.catch_warnings(): warnings.simplefilter('error'); threading.Event().wait(0.01)"
    assert "set back" not in run("score", act).stderr
