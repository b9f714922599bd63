"""Checks in two processes at once: the same report as from one, and only where neither disturbs the other."""

import os

import pytest

from grpo_env_sdk.checking.check import selected
from grpo_env_sdk.checking.evidence.outside import Outside
from grpo_env_sdk.checking.evidence.subject import Settings
from grpo_env_sdk.checking.runner.halves import second_half
from grpo_env_sdk.checking.runner.runner import CheckPlan, run_checks
from grpo_env_sdk.registry.lookup import spec
from tests.checking.conftest import SUMS

PIDS = """
@check("S901")
def tells_its_process(subject):
    "It tells its process."
    yield Finding(str(os.getpid()))

@check("G901")
def tells_its_process_too(subject):
    "It tells its process."
    yield Finding(str(os.getpid()))
"""
DEEDS = """
@check("G901")
def begins_well(subject):
    "It finds something."
    yield Finding("Found before.")

@check("G902")
def finds_and_crashes(subject):
    "It finds something, and then the environment's method ends the process."
    yield Finding("Found on the way.")
    subject.call("deed", subject.loaded.env.deed, row=3)

@check("G903")
def goes_on(subject):
    "It finds something."
    yield Finding("Found after.")

@check("S901")
def finds_more(subject):
    "It finds something."
    yield Finding("Found in the first half.")
"""
FAULTS = """
from sums import Sums

class Broken(Sums):
    def score_episode(self, model, tokenizer, completion, answer):
        if completion == "":
            raise ValueError("nothing to score")
        return 0.8 if answer not in completion else 1.0
"""
ALONE = {
    "max_live": "from sums import Sums\nclass Broken(Sums):\n    max_live = 1\n",
    "a thread": "import threading, time\nfrom sums import Sums\nclass Broken(Sums):\n    def __init__(self):\n"
    "        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n",
    "a socket": "import socket\nfrom sums import Sums\nclass Broken(Sums):\n    def __init__(self):\n"
    "        Broken.listens = socket.create_server(('127.0.0.1', 0))\n",
    "a file that scoring writes": "import os\nfrom sums import Sums\nclass Broken(Sums):\n"
    "    def score_episode(self, model, tokenizer, completion, answer):\n"
    "        open('solution.txt', 'w').write(completion)\n"
    "        return float(open('solution.txt').read() == answer)\n",
    "a cache of scores": "from sums import Sums\nSCORES = {}\nclass Broken(Sums):\n"
    "    def score_episode(self, model, tokenizer, completion, answer):\n"
    "        return SCORES.setdefault(completion + answer, float(completion == answer))\n",
}
"""What keeps an environment in one process, and a class that has it."""


@pytest.fixture
def checked(workplace):
    """Checks a class with so many processors."""

    def run(source, *select, cores=2, **settings):
        workplace.write("sums.py", SUMS)
        workplace.write("broken.py", source)
        made = Settings("quick", origin=os.getcwd(), **settings)
        return run_checks(spec("broken:Broken"), CheckPlan(selected(select, (), "quick"), made, cores=cores))

    return run


def processes_of(report):
    return {finding.message for finding in report.findings if finding.check in ("S901", "G901")}


def test_the_halves_run_in_two_processes_where_there_are_two_processors(plugin_checks, checked):
    plugin_checks(PIDS)
    plain = "from sums import Sums as Broken"
    assert len(processes_of(checked(plain, "S901", "G901"))) == 2
    assert len(processes_of(checked(plain, "S901", "G901", cores=1))) == 1


@pytest.mark.parametrize("why", ALONE)
def test_an_environment_that_two_processes_would_share_stays_in_one(plugin_checks, checked, why):
    plugin_checks(PIDS)
    assert len(processes_of(checked(ALONE[why], "S901", "G901"))) == 1


def test_the_report_of_two_processes_is_that_of_one(checked):
    ids = ["C110", "S201", "S210", "S220", "E301", "G503", "G505", "F603", "K721"]
    one, two = (checked(FAULTS, *ids, cores=cores, rows=4).as_json() for cores in (1, 2))
    for report in (one, two):
        report["checks"] = list(report["checks"])
        report["seconds"] = report["facts"]["episode_seconds"] = None
    assert {finding["id"][0] for finding in one["findings"]} >= {"S", "G"}
    assert two == one


def test_a_crash_in_the_second_process_is_reported_as_in_one(plugin_checks, checked):
    plugin_checks(DEEDS)
    source = "import os\nfrom sums import Sums\nclass Broken(Sums):\n    def deed(self):\n        os._exit(3)\n"
    one, two = (checked(source, "S901", "G90", cores=cores) for cores in (1, 2))
    assert [finding.message for finding in two.findings] == [finding.message for finding in one.findings]
    assert sum(finding.message == "Found on the way." for finding in two.findings) == 1
    assert any("ended the process with exit code 3, in deed of row 3" in finding.message for finding in two.findings)


def test_long_checks_and_those_that_compare_builds_stay_in_the_first_half():
    ids = [check.id for check in selected((), (), "thorough", learn=False)]
    second = second_half(ids)
    assert not {"C101", "S201", "C120", "C121", "S213", "E310", "L901"} & set(second)
    assert {"C110", "T410", "G501", "E307", "F601", "K701"} <= set(second)


def test_a_file_that_is_only_read_is_nothing_that_processes_share(tmp_path):
    (tmp_path / "rows.txt").write_text("rows")
    outside = Outside()
    with open(tmp_path / "rows.txt", encoding="utf-8"):
        reading = outside.opened
    with open(tmp_path / "more.txt", "w", encoding="utf-8"):
        assert (reading, outside.opened) == (False, True)


@pytest.mark.slow
def test_a_hang_in_the_second_process_is_reported_as_in_one(plugin_checks, checked):
    plugin_checks(DEEDS)
    hangs = "import ctypes\nfrom sums import Sums\nclass Broken(Sums):\n    def deed(self):\n"
    report = checked(f"{hangs}        ctypes.PyDLL(None).sleep(1000)\n", "S901", "G90", call_seconds=2.0)
    messages = [finding.message for finding in report.findings]
    assert any("did not return and could not be stopped, in deed of row 3" in message for message in messages), str(
        report
    )
    assert {"Found in the first half.", "Found before.", "Found on the way."} <= set(messages)
