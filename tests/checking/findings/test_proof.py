"""The verdict `unproven`: what it takes, what it says, and the rows that are guaranteed whatever the clock says."""

import json
import time
import xml.etree.ElementTree as ElementTree

import pytest

from grpo_env_sdk import check_env
from grpo_env_sdk.checking.evidence.subject import Settings
from grpo_env_sdk.checking.findings.finding import MORE_TIME, Finding, Undecided
from grpo_env_sdk.checking.findings.report import Report, Waived
from grpo_env_sdk.checking.reports.github import github_lines
from grpo_env_sdk.checking.reports.history import last_tested, remember
from grpo_env_sdk.checking.reports.junit import junit_xml
from grpo_env_sdk.checking.reports.terminal import fix_lines, report_lines
from grpo_env_sdk.checking.runner.proof import why_unproven
from grpo_env_sdk.checking.runner.sequence import EARLY, FIRST
from grpo_env_sdk.checking.runner.worker import Order, work
from grpo_env_sdk.cli.testing_command import exit_code
from grpo_env_sdk.types import EnvSpec

ERROR = Finding("Rows differ.", check="C120", severity="error")
WARNING = Finding("It prints.", check="C130", severity="warning")
FACTS = {"rows": 60, "gold": "solve", "gold_scored": True, "unscored_column": None, "checked_rows": 9}
ENOUGH = {"score": 4, "teaching": 4}
WHY = "The checks of teaching tried 0 rows, and need 4."


class Cubes:
    """Sums with a scorer that takes its time, as a judge does."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} cubed?", "answer": str(n**3)} for n in range(2, 40)]

    def score_episode(self, model, tokenizer, completion, answer):
        time.sleep(0.06)
        return float(completion == answer)

    def solve(self, row):
        return row["answer"]


class Misread:
    """Compares a text with a number, so that nothing scores."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} cubed?", "answer": n**3} for n in range(2, 12)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)


def report(*findings, **fields):
    made = Report("cubes-v1", list(findings), timings={"C101": 0.1}, facts=FACTS)
    for name, value in ({"rows_of_groups": ENOUGH} | fields).items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, []),
        ({"facts": FACTS | {"gold_scored": False}}, ["The gold answer (from solve) never scored."]),
        ({"facts": FACTS | {"gold": None, "gold_scored": False}}, []),
        (
            {"facts": FACTS | {"gold": None, "unscored_column": "answer"}},
            ["Nothing scored, not even the text of the column 'answer'."],
        ),
        ({"rows_of_groups": {"score": 4, "teaching": 0}}, [WHY]),
        (
            {
                "undecided": [Undecided("No time.", MORE_TIME, ("S201", "S202", "G501"))],
                "timings": {"S203": 1.0, "G502": 1.0},
            },
            ["2 of 3 checks of score had no time."],
        ),
        ({"undecided": [Undecided("No gold.", "Write solve.", ("S201", "S202"))]}, []),
        ({"rows_of_groups": {"score": 3, "teaching": 3}, "facts": FACTS | {"rows": 3}}, []),
        (
            {"facts": FACTS | {"gold_scored": False}, "waived": [Waived(Finding("", check="G501"), "may be lost")]},
            [],
        ),
    ],
)
def test_what_is_unproven(fields, told):
    assert list(why_unproven(report(**fields))) == told


def test_fewer_rows_that_were_asked_for_are_enough():
    made = report(rows_of_groups={"score": 2, "teaching": 2})
    assert why_unproven(made, most_rows=2) == ()
    assert len(why_unproven(made)) == 2


def test_every_form_of_a_report_says_that_it_is_unproven_and_why(tmp_path, monkeypatch):
    made = report(WARNING, unproven=(WHY,))
    assert (made.verdict, made.ok, made.failed()) == ("unproven", False, False)
    assert made.as_json()["verdict"] == "unproven"
    assert made.as_json()["unproven"] == [WHY]
    assert WHY in str(made)
    text = "\n".join(report_lines(made, "grpo-env test cubes-v1"))
    assert text.startswith("cubes-v1: unproven")
    assert f"unproven  {WHY}" in text
    assert "--allow-unproven" in text
    assert any(WHY in line for line in fix_lines(made))
    assert next(github_lines(made)).startswith(f"::error title=unproven cubes-v1::{WHY}%0Afix: See what")
    assert next(github_lines(made, allow_unproven=True)).startswith("::warning ")
    suite = ElementTree.fromstring(junit_xml([made]))[0]
    assert (suite.get("failures"), suite[-1].get("name")) == ("1", "verdict: unproven")
    assert ElementTree.fromstring(junit_xml([made], allow_unproven=True))[0].get("failures") == "0"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    remember(EnvSpec("cubes-v1", "cubes:Cubes"), made)
    assert ": unproven" in str(last_tested(EnvSpec("cubes-v1", "cubes:Cubes")))


def test_a_test_with_gaps_is_remembered_in_the_words_that_it_printed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = report(undecided=[Undecided("No gold.", checks=("G501",))])
    remember(EnvSpec("cubes-v1", "cubes:Cubes"), made)
    assert "sound as far as it could be tested" in str(last_tested(EnvSpec("cubes-v1", "cubes:Cubes")))


def test_an_error_goes_before_what_is_unproven():
    unproven, flawed, sound = report(unproven=(WHY,)), report(ERROR, unproven=(WHY,)), report()
    assert flawed.verdict == "findings"
    assert [exit_code(reports) for reports in ([sound], [sound, unproven], [unproven, flawed])] == [0, 3, 1]
    assert exit_code([sound, unproven], allow_unproven=True) == 0
    assert exit_code([unproven, flawed], allow_unproven=True) == 1
    assert exit_code([report(WARNING, unproven=(WHY,))], strict=True) == 1


def test_a_scorer_that_rejects_every_answer_is_unproven_and_not_sound():
    made = check_env(Misread, effort="quick", env_pool="thread", timeout=20)
    assert made.verdict == "unproven"
    assert "'answer'" in made.unproven[0]
    assert check_env(Misread, effort="quick", select="G502", env_pool="thread").verdict == "sound"


def test_the_guaranteed_rows_are_played_when_no_time_is_left():
    events = []
    name = "tests.checking.findings.test_proof:Cubes"
    work(
        Order(EnvSpec(name, name), checks=(*FIRST, *EARLY), settings=Settings("quick"), seconds=0.01),
        events.append,
        Cubes,
    )
    rows = {"score": set(), "teaching": set()}
    running = None
    for event in events:
        running = event.get("check") if event["event"] == "started" else running
        if event["event"] == "at" and event["row"] is not None and running in EARLY:
            rows["score" if running == "S201" else "teaching"].add(event["row"])
    assert {group: len(seen) >= 4 for group, seen in rows.items()} == {"score": True, "teaching": True}
    (measured,) = [event["seconds"] for event in events if event["event"] == "measured"]
    assert measured > 0
    json.dumps(events)
