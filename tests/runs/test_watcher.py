"""The process beside a run: it ends one whose interpreter is held, and says why one ended."""

import json
import subprocess
import sys

import pytest

from tests.forked_commands import user_environment

BEGIN = """
import os, re, signal, sys, time
from pathlib import Path
from grpo_env_sdk.runs.live_rows import LiveRow, LiveRows
from grpo_env_sdk.runs.watcher import Watcher

live = LiveRows(Path(sys.argv[1]))
with Watcher(live.path, 2.0, "Go on: this way", grace=0.0):
"""
WORKS = "    with live.during(LiveRow(2, 0, 'score', 'x')):\n        "


def ended(tmp_path, code, begin=BEGIN):
    words = [sys.executable, "-c", begin + code, str(tmp_path)]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, env=user_environment())


def test_a_process_in_which_no_python_runs_is_ended_and_the_row_is_named(tmp_path):
    found = ended(tmp_path, WORKS + r"re.match(r'(a+)+$', 'a' * 60 + 'b')")
    assert found.returncode == -9
    assert "No Python ran" in found.stderr
    assert "row 2 (score)" in found.stderr
    assert found.stderr.endswith("Go on: this way\n")


@pytest.mark.parametrize(
    "how", ["os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)", "__import__('ctypes').string_at(0)"]
)
def test_a_process_that_ends_without_a_word_gets_one(tmp_path, how):
    found = ended(tmp_path, WORKS + how)
    assert found.returncode not in (0, 1)
    assert "ended without a word" in found.stderr
    assert "row 2 (score)" in found.stderr


def test_signals_that_a_scheduler_sends_to_every_process_do_not_end_it(tmp_path):
    send = "import psutil; time.sleep(1); (other,) = psutil.Process().children()"
    found = ended(tmp_path, WORKS + f"{send}; other.send_signal(2); other.terminate(); time.sleep(0.2); os._exit(3)")
    assert found.stderr.startswith("grpo-env: The process ended without a word")


def test_for_a_program_it_is_an_object_on_stdout(tmp_path):
    found = ended(tmp_path, WORKS + "os._exit(3)", BEGIN.replace("grace", "as_json=True, grace"))
    error = json.loads(found.stdout)["error"]
    assert "row 2 (score)" in error["message"]
    assert error["hint"] == "Go on: this way"
    assert found.stderr == ""


@pytest.mark.parametrize(
    "code",
    [
        WORKS + "time.sleep(3.5)",
        WORKS + "end = time.time() + 3.5\n        while time.time() < end: pass",
        r"    re.match(r'(a+)+$', 'a' * 25 + 'b')",  # no environment code: it may take its time
        "    os._exit(0)",
        WORKS + "live.close(); os._exit(0)",
        WORKS + "raise SystemExit(0)",
    ],
)
def test_whatever_else_happens_goes_unremarked(tmp_path, code):
    found = ended(tmp_path, code)
    assert (found.returncode, found.stderr) == (0, "")


COMMAND = """
import ctypes, os, signal, sys, time
from grpo_env_sdk.isolation.calls.command_process import command_process, watch_from_now
from grpo_env_sdk.isolation.calls.deadline import call_within

def hold(seconds=600):
    ctypes.PyDLL(None).sleep(seconds)

with command_process(print, AS_JSON, grace=0.0):
    watch_from_now()
"""
HELD = '    call_within(2.0, "x: build_dataset", hold)'


@pytest.mark.parametrize("as_json", [False, True])
def test_a_command_is_ended_before_it_has_a_run_where_code_holds_it(tmp_path, as_json):
    found = ended(tmp_path, HELD, COMMAND.replace("AS_JSON", str(as_json)))
    said = json.loads(found.stdout)["error"]["message"] if as_json else found.stderr
    assert found.returncode == -9
    assert "No Python ran" in said
    assert "x: build_dataset" in said


def test_a_call_without_a_deadline_may_hold_a_command(tmp_path):
    found = ended(
        tmp_path, '    call_within(None, "x: build_dataset", lambda: hold(3))', COMMAND.replace("AS_JSON", "False")
    )
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("between", ["pass", "time.sleep(1.2)"])  # with signs of life after the signal
def test_a_command_that_is_held_ends_after_a_signal(tmp_path, between):
    held = f"def held():\n    os.kill(os.getpid(), signal.SIGTERM)\n    {between}\n    hold()\n"
    begin = COMMAND.replace("AS_JSON", "False").replace(
        "with command", f"signal.signal(15, print)\n{held}\nwith command"
    )
    found = ended(tmp_path, '    call_within(600, "x: build_dataset", held)', begin)
    assert found.returncode == -9
    assert found.stderr.startswith("grpo-env: Interrupted.")
    assert "x: build_dataset" in found.stderr


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("os.kill(os.getpid(), 9)", "ended without a word while environment code was at work: x: score."),
        ("ctypes.CDLL(None)._exit(0)", "ended without a word while environment code was at work: x: score."),
        ("os._exit(3)", ""),  # which `command_process` has told
        ("os.closerange(3, 64)", ""),
    ],
)
def test_of_a_command_that_ends_in_environment_code_it_is_said_once(tmp_path, act, said):
    found = ended(tmp_path, f'    call_within(2.0, "x: score", lambda: {act})', COMMAND.replace("AS_JSON", "False"))
    assert said in found.stderr
    assert bool(found.stderr) == bool(said)
    assert ("x: score ended this process with os._exit(3)" in found.stdout) == (act == "os._exit(3)")


def test_where_somebody_else_says_that_it_ended_only_a_held_interpreter_is_named(tmp_path):
    quiet = BEGIN.replace("Go on: this way", "")
    assert ended(tmp_path, WORKS + "os._exit(3)", quiet).stderr == ""
    told = ended(tmp_path, WORKS + r"re.match(r'(a+)+$', 'a' * 60 + 'b')", quiet).stderr
    assert told.count("\n") == 1
    assert told.endswith("so it was ended while environment code worked on row 2 (score).\n")


@pytest.mark.parametrize("run_begins", [False, True])
def test_of_a_process_whose_end_somebody_else_reports_nothing_is_said(tmp_path, run_begins):
    begin = COMMAND.replace("AS_JSON", "False").replace("with command", "end_is_reported()\nwith command")
    begin = begin.replace("import command_process", "import end_is_reported, command_process")
    code = '    call_within(2.0, "x: score", lambda: os.kill(os.getpid(), 9))'
    if run_begins:  # another process has removed the file of its rows
        begin += "    from grpo_env_sdk.runs.watcher import Watcher\n    Watcher(Path('gone'), 2.0, '').__enter__()\n"
    found = ended(tmp_path, code, begin.replace("import ctypes", "from pathlib import Path\nimport ctypes"))
    assert (found.returncode, found.stderr) == (-9, "")
