"""Tests of an environment in a sandbox: a stranger's code never runs outside of it, and its report is data."""

import json
import shutil
import socket
import subprocess
import sys
from importlib.util import find_spec

import pytest

from grpo_env_sdk import check_env
from grpo_env_sdk.checking.findings.finding import Finding, to_wire
from grpo_env_sdk.checking.runner.check_env import target_of
from grpo_env_sdk.checking.runner.events import MOST_BYTES, EventLines
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.author_code.import_folders import folders_of_workers
from tests.environments import Countdown

SANDBOX = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
STRANGER = """
import os, socket
from contextlib import suppress
from pathlib import Path

FOUND = []

def pry(when):
    FOUND.extend(f"{when}: {name}" for name in os.environ if "API_KEY" in name)
    for path in (Path("SECRET"), Path(__file__)):
        with suppress(OSError), path.open("r+") as file:
            FOUND.append(f"{when}: {path.name}")
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", PORT), 1).close()
        FOUND.append(f"{when}: the network")

pry("import")

class Pries:
    def __init__(self):
        pry("constructor")

    def build_dataset(self, tokenizer):
        pry("rows")
        raise LookupError(repr(FOUND))

    def score_episode(self, model, tokenizer, completion):
        return 1.0
"""
UNSTEADY = """
print("loading")

class Unsteady:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Write {word}.", "answer": word} for word in ("red", "green", "blue", "black")]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer) or hash(completion) % 1000 / 2000
"""
CRASHES = """
import ctypes, os, signal

class Crashes:
    def build_dataset(self, tokenizer):
        DEED

    def score_episode(self, model, tokenizer, completion):
        return 1.0
"""
FORGES = """
import gc

class Forges:
    def build_dataset(self, tokenizer):
        pipe = next(one for one in gc.get_objects() if type(one).__name__ == "EventPipe")
        for event in ({"event": "refused", "type": "annotations", "message": 5, "hint": ""}, {"event": ["at"]},
                      {"event": "found", "check": "C102", "item": {"is": "finding", "message": {}}},
                      {"event": "ended", "check": "C000", "seconds": "long"}, {"event": "facts", "rows": "many"}, 7):
            pipe.send(event)
        return [{"prompt": "Go.", "answer": "gone"}]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)
"""


@SANDBOX
def test_a_stranger_s_environment_reaches_nothing_at_import_construction_or_building(workplace, monkeypatch, capsys):
    secret = workplace.folder.parent / "secret"
    secret.write_text("a secret")
    monkeypatch.setenv("MY_API_KEY", "a key")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        workplace.write("stranger.py", STRANGER.replace("SECRET", str(secret)).replace("PORT", port))
        told = {}
        for pool in ("sandbox", "process"):
            assert main(["test", "stranger:Pries", "--select", "C102", "--env-pool", pool, "--json"]) == 1
            told[pool] = json.loads(capsys.readouterr().out)["findings"][0]["message"]
    assert "LookupError: []" in told["sandbox"]
    assert all(f"{when}: {what}" in told["process"] for when in ("import", "constructor", "rows")
               for what in ("secret", "stranger.py", "the network"))  # fmt: skip
    assert "stranger" not in sys.modules


@SANDBOX
def test_checks_that_start_processes_of_their_own_work_in_a_sandbox(workplace):
    workplace.write("unsteady.py", UNSTEADY)
    report = check_env("unsteady:Unsteady", select="C130,S213", env_pool="sandbox")
    assert sorted(finding.check for finding in report.findings) == ["C130", "S213"]


@SANDBOX
@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("ctypes.string_at(0)", "SIGSEGV"),
        ("os._exit(3)", "exit code 3"),
        ("os._exit(255)", "exit code 255"),
        ("os.kill(os.getpid(), 35)", "signal 35"),
    ],
)
def test_how_a_process_ended_is_told_of_a_sandbox_too(workplace, deed, told):
    workplace.write("crashes.py", CRASHES.replace("DEED", deed))
    report = check_env("crashes:Crashes", select="C102", env_pool="sandbox")
    assert told in report.findings[0].message
    assert report.verdict == "untestable"


@pytest.mark.parametrize("pool", ["process", pytest.param("sandbox", marks=SANDBOX)])
def test_events_that_an_environment_forges_are_dropped_and_reported(workplace, pool):
    workplace.write("forges.py", FORGES)
    report = check_env("forges:Forges", select="C102", env_pool=pool)
    assert [finding.message for finding in report.findings] == [
        "The environment wrote to a descriptor that it did not open, in build_dataset."
    ]
    assert "C104" in report.timings


@SANDBOX
def test_the_report_and_its_files_are_written_outside_of_the_sandbox(workplace):
    workplace.write("forges.py", FORGES)
    files = ["--html", "report.html", "--junit", "report.xml"]
    main(["test", "forges:Forges", "--env-pool", "sandbox", "--select", "C102", *files])
    assert all((workplace.folder / file).stat().st_size for file in files[1::2])


def finding(**changes):
    return {
        "event": "found",
        "check": "S201",
        "item": {**to_wire(Finding("Odd.", severity="error", check="S201")), **changes},
    }


@pytest.mark.parametrize(
    "forged",
    [
        "", "null", "7", "{}", "[" * 100_000, '{"event": {}}', '{"event": "unknown"}', '{"event": "started"}',
        '{"event": "started", "check": "C101", "seconds": 1}', '{"event": "ended", "check": "S201", "seconds": NaN}',
        '{"event": "at", "stage": 5, "row": null}', '{"event": "at", "stage": "x", "row": "1"}',
        '{"event": "facts", "kind": "tools"}', '{"event": "measured", "seconds": 1e999}',
        '{"event": "at", "stage": "x", "row": ' + "9" * 5000 + "}",
        json.dumps(finding(severity="fatal")), json.dumps(finding(severity=None)), json.dumps(finding(check="S000")),
        json.dumps(finding(check=["S201"])), json.dumps(finding(more=1)), json.dumps(finding(**{"is": "report"})),
        json.dumps(finding(**{"is": []})), json.dumps({**finding(), "item": {"is": "undecided"}}),
        json.dumps({**finding(), "item": {"is": "table", "title": "x", "columns": 5, "rows": [], "check": "S201"}}),
        json.dumps({**finding(), "item": {"is": "plot", "title": "x", "lines": {"a": [[1]]}, "check": "S201"}}),
        *(json.dumps({**finding(), "item": {"title": "x", "check": "S201", **item}}) for item in (
            {"is": "plot", "lines": {"a": [[1, float("nan")]]}}, {"is": "plot", "lines": {"a": [[10**400, 1]]}},
            {"is": "table", "columns": ["a"], "rows": [["1"], []]})),
        json.dumps({"event": "imported", "waive": None, "call_seconds": 10**400}),
        json.dumps({"event": "imported", "waive": None, "call_seconds": float("nan")}),
        json.dumps({"event": "imported", "waive": None, "call_seconds": "long"}),
        json.dumps({"event": "measured", "seconds": 10**308}), json.dumps({"event": "measured", "seconds": -1.0}),
        json.dumps({"event": "ended", "check": "S201", "seconds": 1e308}),
        json.dumps(finding()).replace('"input": null', '"input": ' + "[" * 500 + "]" * 500),
    ],
)  # fmt: skip
def test_what_is_no_event_is_counted_and_not_read(forged):
    lines = EventLines("mark", ["S201"])
    assert list(lines.read(f"mark{forged}\n".encode())) == []
    assert lines.strays == 1


def test_events_are_read_in_whatever_pieces_they_come():
    sent = [{"event": "started", "check": "S201", "seconds": 1.0}, finding(), {"event": "facts"}, {"event": "done"}]
    data = "".join(f"\nmark{json.dumps(event)}\n" for event in sent).encode()
    lines = EventLines("mark", ["S201"])
    assert [event for place in range(len(data)) for event in lines.read(data[place : place + 1])] == sent
    assert lines.strays == 0


def test_one_process_cannot_fill_the_memory_with_events():
    lines, told = EventLines("mark", ["S201"]), 0
    piece = f"mark{json.dumps(finding(message='x' * (1 << 20)))}\n".encode()
    for _ in range(2 * MOST_BYTES // len(piece)):
        told += len(list(lines.read(piece)))
    assert told <= MOST_BYTES // len(piece)
    assert lines.strays


def test_a_working_folder_is_left_to_the_sandbox_whose_files_have_names_of_packages(workplace):
    workplace.write("stranger.py", "")
    workplace.write("rich_of_the_stranger.py", "")
    target_of("stranger:Pries", env_pool="sandbox")
    assert find_spec("rich_of_the_stranger") is None
    assert str(workplace.folder) in folders_of_workers()
    target_of("stranger:Pries")
    assert find_spec("rich_of_the_stranger") is not None


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"env_pool": "ray"}, "eval and train"),
        ({"env_pool": "sanbox"}, "Did you mean 'sandbox'"),
        pytest.param({"model": "Qwen/Qwen3-0.6B"}, "needs|Give the folder of a model", marks=SANDBOX),
        pytest.param({"user_model": "openai:x"}, "--user-model", marks=SANDBOX),
    ],
)
def test_what_a_pool_does_not_have_is_refused(given, told):
    with pytest.raises(UsageError, match=told):
        check_env("hotel-v1", **{"env_pool": "sandbox", **given})


@SANDBOX
def test_an_instance_is_not_taken_into_a_sandbox():
    with pytest.raises(UsageError, match="by its name"):
        check_env(Countdown(), env_pool="sandbox")


def test_without_bubblewrap_nothing_is_tested_and_the_line_says_how_to_install_it(tmp_path):
    command = [sys.executable, "-m", "grpo_env_sdk", "test", "hotel-v1", "--env-pool", "sandbox"]
    run = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "apt install bubblewrap" in run.stderr
    assert run.stderr.count("\n") == 1
