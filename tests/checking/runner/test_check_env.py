"""`check_env` takes whatever `load` takes, and says in one line what is wrong with its arguments."""

import asyncio
import random
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest

from grpo_env_sdk import check_env, load, spec
from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.errors import ConfigError, ContractError, UsageError
from tests.environments import Countdown, Guess, Phonebook
from tests.gallery.broken import shared_history

FEW = {"select": "C101,C102,C120", "effort": "quick"}


class Drawn:
    """Draws other rows each time."""

    waive: ClassVar = {"C121": "only ever evaluated"}

    def __init__(self, count: int = 4):
        self.count = count

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {random.random()}.", "answer": "1"} for _ in range(self.count)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)


class Unique(Drawn):
    """Holds what cannot be copied."""

    def __init__(self):
        super().__init__()
        self.rows = (number for number in range(4))


@pytest.mark.parametrize(
    "env", ["tests.environments:Countdown", Countdown, spec("tests.environments:Countdown"), Countdown(4)], ids=type
)
def test_a_sound_environment_is_ok_however_it_is_named(env):
    report = check_env(env, **FEW)
    assert (report.ok, report.verdict, report.findings) == (True, "sound", [])
    assert set(report.timings) == {"C101", "C102", "C103", "C104", "C120"}
    assert report.as_json()["id"] == report.env == "tests.environments:Countdown"


def test_a_loaded_environment_is_checked_through_copies_of_its_instance():
    assert check_env(load(Countdown, {"longest": 6}), **FEW).facts["rows"] == 5


def test_findings_are_typed_and_printed():
    report = check_env(Drawn, env_pool="thread", **FEW)
    (finding,) = report.findings
    assert (report.ok, report.verdict, finding.check, finding.severity) == (False, "findings", "C120", "error")
    assert repr(report).startswith("<tests.checking.runner.test_check_env:Drawn: findings, ")
    assert finding.message in str(report)
    assert finding.hint in str(report)
    assert "C120" in report._repr_html_()


def test_config_goes_to_the_constructor():
    assert check_env(Drawn, config={"count": 7}, select="C101", env_pool="thread").facts["rows"] == 7


def test_waivers_of_an_instance_count():
    instance = Drawn()
    instance.waive = {"C120": "drawn on purpose"}
    report = check_env(instance, select=["C120", "C190"])
    assert ([one.reason for one in report.waived], report.findings) == (["drawn on purpose"], [])
    assert "C190" in report.timings


@pytest.mark.parametrize("odd", [{("C120", "C121"): "drawn on purpose"}, {5: "why"}, {b"C120": "why"}])
def test_waivers_whose_names_are_no_texts_are_a_finding_also_without_waivers(odd):
    cls = type("Odd", (Drawn,), {"waive": odd})
    for waivers in (True, False):
        report = check_env(cls, select=["C190"], waivers=waivers)
        assert "names no check or group" in report.findings[0].message


def test_a_method_called_waive_is_no_waiver():
    class FeeDesk(Drawn):
        def waive(self, fee):
            return fee

    assert check_env(FeeDesk, select="C190").findings == []
    assert check_env(FeeDesk(), select="C190").findings == []


def test_the_check_of_waivers_is_a_check_like_others():
    report = check_env(Drawn, select=["C121", "C190"], env_pool="thread")
    (found,) = [finding for finding in report.findings if finding.check == "C190"]
    assert "'C121' is not needed" in found.message
    assert all_checks()["C190"].of == "report"


@pytest.mark.parametrize("env", ["WordChain", "'__main__:WordChain'"])
def test_a_class_of_a_notebook_is_checked_in_its_process(env):
    cell = Path(shared_history.__file__).read_text()
    program = (
        "import linecache\n"
        "from grpo_env_sdk import check_env\n"
        f"cell = {cell!r}\n"
        "linecache.cache['<cell>'] = len(cell), None, cell.splitlines(True), '<cell>'\n"
        "exec(compile(cell, '<cell>', 'exec'))\n"
        f"report = check_env({env}, effort='quick', select=['C1', 'E304'])\n"
        "print(report.verdict, sorted(report.open), [finding.check for finding in report.findings])\n"
    )
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True)
    assert done.stdout.split("\n")[0] == "findings ['C121'] ['E304']", done.stderr


@pytest.mark.parametrize("env", [Countdown, Phonebook, Guess, Countdown(4)], ids=type)
def test_an_environment_is_checked_where_an_event_loop_runs_in_this_thread(env):
    async def cell():
        return check_env(env, select="S201", effort="quick", rows=2, env_pool="thread")

    assert (report := asyncio.run(cell())).ok, report


@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({"effort": "quik"}, UsageError, "No effort named 'quik'. Did you mean 'quick'?"),
        ({"effort": "x"}, UsageError, "It is one of quick, default, thorough."),
        ({"select": "scor"}, UsageError, "No check or group named 'scor'. Did you mean 'score'?"),
        ({"ignore": ["C9x"]}, UsageError, "No check or group named 'C9x'."),
        ({"rows": 0}, UsageError, "rows must be a whole number of at least 1, got 0."),
        ({"rows": True}, UsageError, "got True."),
        ({"seed": "1"}, UsageError, "seed must be a whole number, got '1'."),
        ({"model": 3}, UsageError, "model must be a text, got 3."),
        ({"learn": "yes"}, UsageError, "learn must be True or False, got 'yes'."),
        ({"timeout": 2}, UsageError, "timeout must be at least 5 seconds, got 2."),
        ({"timeout": float("nan")}, UsageError, "got nan."),
        ({"config": ["a"]}, ConfigError, "config is ['a'], not a dict."),
        ({"config": {"cuont": 3}}, ConfigError, "Did you mean 'count'?"),
    ],
)
def test_an_invalid_argument_is_one_clear_error(settings, error, told):
    with pytest.raises(error) as raised:
        check_env(Drawn, **settings)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("env", "settings", "error", "told"),
    [
        (Unique(), {}, UsageError, "cannot be copied"),
        (Drawn(), {"config": {"count": 3}}, ConfigError, "is an instance, so it takes no config."),
        (7, {}, ContractError, "int"),
    ],
)
def test_an_instance_that_cannot_be_checked_says_what_to_give(env, settings, error, told):
    with pytest.raises(error) as raised:
        check_env(env, **settings)
    assert told in str(raised.value)
