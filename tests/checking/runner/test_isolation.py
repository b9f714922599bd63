"""What an environment does to its process is reported, and only the running check is lost."""

import json
import os
import re
import time
from pathlib import Path

import pytest

from grpo_env_sdk.checking.check import selected
from grpo_env_sdk.checking.evidence.processes.python_child import ChildCall
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.runner.runner import CheckPlan, _CheckRun
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import BrokenPackageError
from grpo_env_sdk.isolation.processes.child_environ import without_secrets
from grpo_env_sdk.types import EnvSpec

WHILE_BUILDING = """
import ctypes, os, time
from sums import Sums

class Broken(Sums):
    def build_dataset(self, tokenizer):
        {deed}
        return super().build_dataset(tokenizer)
"""
CALLS = """
@check("S901")
def first_calls(subject):
    "The first check calls the author's method."
    subject.call("deed", subject.loaded.env.deed, row=3)
    yield from ()

@check("S902")
def second_finds(subject):
    "The second check finds something."
    yield Finding("The second check ran.")
"""
HELD = ("S901", "S902", "S903")
DEEDS = {
    "os._exit(3)": "ended with exit code 3",
    "ctypes.string_at(0)": r"crashed \(SIGSEGV\)",
    "os.closerange(3, 200)": "ended because its code closed a descriptor .* or replaced functions of the SDK",
    "os.kill(os.getpid(), 35)": "ended by signal 35",
    "os._exit(255)": "ended with exit code 255",
    "os.kill(os.getpid(), 9)": r"was killed \(SIGKILL\), perhaps because it used too much memory",
}


def test_a_sound_environment_is_sound(tested):
    report = tested("from sums import Sums as Broken", "C101", "C102")
    assert report.verdict == "sound"
    assert list(report.timings) == ["C101", "C102", "C103", "C104"]


LEAVES = """
import os
from sums import Sums

class Broken(Sums):
    def deed(self):
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.write(writing, str(os.getpid()).encode())
                os.execvpe("sleep", ["sleep", "600"], {{"PATH": os.environ["PATH"]}})
            os._exit(0)
        with open({file!r}, "w") as file:
            file.write(os.read(reading, 20).decode())
        {then}
"""


@pytest.mark.parametrize("then", ["pass", "os._exit(3)", "os.killpg(0, 9)", "os.kill(os.getppid(), 15)"])
def test_what_an_environment_has_started_in_a_session_of_its_own_is_gone_with_its_process(
    plugin_checks, tested, tmp_path, then
):
    plugin_checks(CALLS)
    report = tested(LEAVES.format(file=str(tmp_path / "pid"), then=then), "S90")
    assert [found.check for found in report.findings][-1:] == ["S902"]
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.parametrize("deed", DEEDS)
def test_a_process_that_goes_down_costs_its_own_check(plugin_checks, tested, deed):
    plugin_checks(CALLS)
    source = f"import ctypes, os\nfrom sums import Sums\nclass Broken(Sums):\n    def deed(self):\n        {deed}\n"
    report = tested(source, "S90")
    lost, found = report.findings
    assert (lost.check, found.check) == ("S901", "S902")
    assert re.search(f"The environment {DEEDS[deed]}, in deed of row 3.", lost.message)
    assert report.verdict == "findings"


TWO = """
class Even:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Write {n}.", "answer": str(n)} for n in range(5)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)

class Odd(Even):
    call_seconds = 10**400
"""


def test_call_seconds_of_any_size_are_a_finding_and_the_other_environment_gets_its_report(workplace, capsys):
    workplace.write("two.py", TWO)
    assert main(["test", "two:Odd", "two:Even", "--select", "C101", "--json"]) == 1
    odd, even = map(json.loads, capsys.readouterr().out.splitlines())
    assert "call_seconds" in odd["findings"][0]["message"]
    assert even["findings"] == []


def test_a_crash_shows_where_the_environment_was(tested):
    report = tested(WHILE_BUILDING.format(deed="ctypes.string_at(0)"), "C102")
    assert report.findings[0].output == "broken.py:7 in build_dataset"
    assert report.verdict == "untestable"


def test_what_goes_down_before_all_else_is_not_tried_again(plugin_checks, tested):
    plugin_checks(CALLS)
    report = tested(WHILE_BUILDING.format(deed="os._exit(1)"), "S90")
    assert [finding.check for finding in report.findings] == ["C102"]
    assert {id for gap in report.undecided for id in gap.checks} >= {"S901", "S902"}


def test_printing_megabytes_is_told_and_stops_nothing(tested):
    report = tested(WHILE_BUILDING.format(deed="print('x' * 30_000_000)"), "C102")
    assert "printed 30 MB" in report.findings[0].message
    assert report.verdict == "sound"


def test_writing_to_our_pipe_is_told_and_stops_nothing(tested):
    deed = "for fd in range(3, 4096):\n            try: os.write(fd, b'garbage' * 99)\n            except OSError: pass"
    report = tested(WHILE_BUILDING.format(deed=deed), "C102")
    assert "wrote to a descriptor that it did not open" in report.findings[0].message
    assert "C104" in report.timings


def test_eating_all_memory_is_an_error_of_the_environment(tested):
    deed = "x = []\n        while True: x.append(bytes(1 << 30))"
    report = tested(WHILE_BUILDING.format(deed=deed), "C102")
    assert "MemoryError" in report.findings[0].message


def test_importing_that_ends_the_process_is_refused(tested):
    with pytest.raises(BrokenPackageError, match="it ended with exit code 5"):
        tested("import os\nos._exit(5)\n", "C102")


def test_importing_that_fails_is_refused_with_its_reason(tested):
    with pytest.raises(BrokenPackageError, match="ZeroDivisionError"):
        tested("1 / 0", "C102")


def test_secrets_are_not_inherited():
    kept = without_secrets({"PATH": "/bin", "HF_TOKEN": "x", "OPENAI_API_KEY": "x", "DB_PASSWORD": "x", "LANG": "C"})
    assert kept == {"PATH": "/bin", "LANG": "C"}


def test_nothing_of_the_process_is_left(plugin_checks, tested):
    plugin_checks(CALLS)
    deed = "raise ValueError(subprocess.Popen(['sleep', '1000']).pid)"
    source = f"import subprocess\nfrom sums import Sums\nclass Broken(Sums):\n    def deed(self):\n        {deed}\n"
    report = tested(source, "S901")
    pid = int(re.search(r"ValueError: (\d+)", report.findings[0].message)[1])
    assert has_ended(Path(f"/proc/{pid}/status"))


def has_ended(status, seconds=120):
    """Whether a process that was killed is gone, or soon is."""
    end = time.monotonic() + seconds
    while status.exists() and "zombie" not in status.read_text() and time.monotonic() < end:
        time.sleep(0.01)
    return not status.exists() or "zombie" in status.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("deed", ["time.sleep(1000)", "import re; re.match('(a+)+$', 'a' * 50 + 'b')"])
def test_a_hang_ends_in_time(plugin_checks, tested, deed):
    plugin_checks(CALLS)
    source = f"import time\nfrom sums import Sums\nclass Broken(Sums):\n    def deed(self):\n        {deed}\n"
    report = tested(source, "S90", call_seconds=2.0, seconds=1200.0)
    assert [finding.check for finding in report.findings] == ["S901", "S902"]
    message, place = report.findings[0].message, report.findings[0].output
    assert "within 2 s" in message or place == "broken.py:5 in deed"
    assert "did not come back" in message or "did not return" in message


@pytest.mark.slow
def test_after_one_call_that_holds_the_process_checks_of_rows_come_first_and_one_more_ends_the_rest(
    plugin_checks, tested
):
    call = 'subject.call("deed", subject.loaded.env.deed, row=3)'
    plays = [f'@check("{id}")\ndef plays_{id}(subject):\n    "Plays."\n    {call}\n    yield from ()\n' for id in HELD]
    reads = '@check("S909", needs=("rows",))\ndef reads(subject):\n    "Reads."\n    yield Finding("It has rows.")\n'
    plugin_checks("\n".join([*plays, reads]))
    source = "import ctypes\nfrom sums import Sums\nclass Broken(Sums):\n    def deed(self):\n"
    report = tested(source + "        ctypes.PyDLL(None).sleep(600)\n", "S90", call_seconds=2.0, seconds=1200.0)
    assert [finding.check for finding in report.findings] == ["S901", "S909"]
    assert [gap.checks for gap in report.undecided] == [("S902", "S903")]
    assert "holds its process here too" in report.undecided[0].why


def cut_off(tested, source, check, where, **settings):
    """A report whose time ran out in a check, at the place that is meant: on a slow machine only with more time."""
    for seconds in (6.0, 24.0, 96.0, 384.0):
        report = tested(source, check, seconds=seconds, **settings)
        gap = next((gap for gap in report.undecided if any(id.startswith(check) for id in gap.checks)), None)
        if gap is not None and where in gap.why:
            return report, gap, seconds
    raise AssertionError(report.undecided)


def test_a_check_that_takes_long_is_no_fault_of_the_environment(plugin_checks, tested):
    plugin_checks(CALLS.replace('subject.call("deed", subject.loaded.env.deed, row=3)', "time.sleep(1e6)"))
    report, gap, _ = cut_off(tested, "from sums import Sums as Broken", "S901", "own code", call_seconds=1.0)
    assert report.findings == []
    assert gap.why == "Its time ran out, in the check's own code of the plugin more-checks:more."
    assert "authors of the plugin" in gap.would_help


SLOW_TO_BUILD = """
import time
from sums import Sums

class Broken(Sums):
    built = 0

    def build_dataset(self, tokenizer):
        Broken.built += 1
        if Broken.built > 1:
            time.sleep(1e6)
        return super().build_dataset(tokenizer)
"""


def test_a_second_build_that_is_cut_off_is_slow_and_not_proven_to_hang(tested):
    report, gap, _ = cut_off(tested, SLOW_TO_BUILD, "C120", "build_dataset", call_seconds=1.0)
    assert report.findings == []
    assert gap.why == "Its time ran out, in build_dataset."
    assert (gap.would_help, gap.flags) == ("Give it more time.", "--timeout 600")


def test_it_ends_when_the_time_for_all_is_up(plugin_checks, tested):
    plugin_checks(CALLS.replace('subject.call("deed", subject.loaded.env.deed, row=3)', "time.sleep(1e6)"))
    report, _, seconds = cut_off(tested, "from sums import Sums as Broken", "S90", "own code")
    assert {gap.checks: gap.why for gap in report.undecided} == {
        ("S901",): "Its time ran out, in the check's own code of the plugin more-checks:more.",
        ("S902",): f"The timeout of {seconds:g} s was used up.",
    }


HANGS = """
import time
from sums import Sums

class Broken(Sums):
    def solve(self, row):
        return row["answer"]

    def score_episode(self, model, tokenizer, completion, answer):
        if HUNG:
            time.sleep(1000)
        return super().score_episode(model, tokenizer, completion, answer)
"""


def test_where_every_episode_hangs_one_check_says_so_and_the_others_are_left(tested):
    report = tested(HANGS.replace("HUNG", "True"), "S201", "G501", "G503", "C110", call_seconds=2.0)
    (finding,) = report.findings
    assert finding.check == "S201"
    assert "did not come back within 2 s, on an empty answer and the gold answer" in finding.message
    assert "to row 19" in finding.message
    (gap,) = report.undecided
    assert (gap.checks, gap.why) == (("G501", "G503"), "The environment cannot be used yet.")
    assert "C110" in report.timings


def test_where_only_an_idle_episode_hangs_the_others_are_checked(tested):
    report = tested(HANGS.replace("HUNG", "completion == ''"), "S201", "G501", rows=2, call_seconds=2.0)
    assert "S201" in {finding.check for finding in report.findings}
    assert "The environment cannot be used yet." not in {gap.why for gap in report.undecided}


def test_a_child_that_ends_with_an_exception_says_with_which(tmp_path):
    child = ChildCall("grpo_env_sdk.checking.evidence.processes.other_process", {"spec": {}}, 0, str(tmp_path))
    assert child.answer(60) is None
    assert child.failure.startswith(": KeyError")
    assert not child.failure.endswith(".")


@pytest.mark.parametrize(
    ("message", "help"),
    [("A tool hangs: it gave no answer.", "Fix the errors above first."), ("Wrong.", "Give it more time.")],
)
def test_what_used_up_the_time_is_to_be_mended_before_more_of_it_is_given(message, help):
    run = _CheckRun(EnvSpec("x", "x:X"), CheckPlan(selected(["S201"])), lambda event: None)
    run.results.add(Finding(message, severity="error", check="G501"))
    run.ends = 0.0
    run.in_processes(["S201"])
    (gap,) = run.report.undecided
    assert gap.would_help == help
