"""`grpo-env test` on the gallery: each mistake is found by its check, and sound environments have no findings."""

import pytest

from grpo_env_sdk.checking.check import GROUPS, all_checks, selected
from grpo_env_sdk.checking.evidence.subject import Settings, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.runner.runner import CheckPlan, run_checks
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.registry.lookup import spec
from tests.gallery.catalogue import BROKEN, SOUND
from tests.gallery.page import PAGE, gallery_page
from tests.gallery.playing import class_of

IN_A_CHILD = {
    "address_pattern", "alarm_at_import", "cache_at_import", "conveyor_circle", "evaluates_answers",
    "equal_to_everything", "exits_on_bad_json",
    "heartbeat_thread", "kept_snapshots", "left_descriptor", "seeds_at_import", "verdict_is_printed", "workspaces_left",
}  # fmt: skip
"""These hang, end the process, change it or leave something behind."""
SLOW = {
    "amounts_by_language", "blocking_async", "cached_by_answer", "cached_by_number", "conveyor_circle",
    "evaluates_answers", "polite_sleep", "slow_rows", "tests_share_names", "waits_in_score",
}  # fmt: skip
EFFORTS = {
    "accented_names": "default",
    "conveyor_circle": "thorough",
    "half_of_the_boards": "default",
    "seats_from_zero": "default",
    "tasks_from_zero": "default",
    "targets_without_a_way": "default",
    "tickets_by_team": "default",
    "unused_parameter": "default",
}
"""More than `quick`, for a mistake that hides in one of many rows, or shows in few ways."""
NEVER_BACK = IN_A_CHILD | {"endless_patience", "exits_are_passes"}
"""Calls of these may hang, and get few seconds; a call of the others is late on no machine, however busy."""
UNDERSTOOD = {"length_counts": ("G505",)}  # all its words at once do earn 86%
"""Warnings about sound exhibits that are right to come."""
IN_OTHER_PROCESSES = ("C102", "C121", "C130", "C131", "C132", "T402")
TOO_LONG = ("cost",)
"""Checks that need more time for measuring; the slow test runs them all."""
MOST_SECONDS = 0.1
"""What a check of a sound environment may take here."""
MOST_ROWS = 5
LETTERS = {"signal": GROUPS["forecast"], **GROUPS}


def marked(exhibits, slow):
    return [pytest.param(one, id=one.name, marks=[pytest.mark.slow] if one.name in slow else []) for one in exhibits]


@pytest.mark.parametrize("exhibit", marked(BROKEN, SLOW))
def test_a_mistake_is_found_by_the_checks_meant_for_it(exhibit):
    findings = findings_of(exhibit)
    assert {finding.check for finding in findings} == set(exhibit.found_by)
    assert exhibit.severity in {finding.severity for finding in findings}


def findings_of(exhibit):
    """What the checks that are meant for an exhibit find in it."""
    call_seconds = 2.0 if exhibit.name in NEVER_BACK else 120.0
    settings = Settings(EFFORTS.get(exhibit.name, "quick"), call_seconds=call_seconds)
    checks = [all_checks()[id] for id in exhibit.found_by]
    if exhibit.name in IN_A_CHILD:
        found = run_checks(spec(exhibit.entry_point), CheckPlan(checks, settings)).findings
    else:
        subject = Subject(spec(exhibit.entry_point), settings, create=class_of(exhibit.name))
        found = [item for check in checks for item in found_by(check, subject) if isinstance(item, Finding)]
    return [finding for finding in found if finding.check in exhibit.found_by]


def test_a_mistake_is_found_in_its_own_group():
    others = {"eats_the_row": "S"}  # an episode that eats its row shows in every episode's row
    assert [
        one.name
        for one in BROKEN
        if one.found_by and others.get(one.name, LETTERS[one.group]) not in {id[0] for id in one.found_by}
    ] == []


def test_what_no_check_finds_is_known():
    assert [one.name for one in BROKEN if not one.found_by] == []


class OnFewRows(Subject):
    """The slow test below is on as many as the command takes."""

    def sample(self, count):
        return super().sample(min(count, MOST_ROWS))


@pytest.mark.parametrize("exhibit", marked(SOUND, ()))
def test_a_sound_environment_is_let_be(exhibit):
    subject, found = OnFewRows(spec(exhibit.entry_point), Settings("quick", rows=3)), []
    for check in selected(ignore=(*IN_OTHER_PROCESSES, *TOO_LONG), effort="quick"):
        subject.begin(check.id, MOST_SECONDS)
        found += found_by(check, subject)
    findings = [item for item in found if isinstance(item, Finding)]
    assert set(loud(findings)) <= set(UNDERSTOOD.get(exhibit.name, ()))


@pytest.mark.slow
@pytest.mark.parametrize("exhibit", marked(SOUND, ()))
def test_a_sound_environment_is_let_be_by_the_whole_command(exhibit):
    report = run_checks(spec(exhibit.entry_point), CheckPlan(selected()))
    assert loud(report.findings) == list(UNDERSTOOD.get(exhibit.name, ()))
    assert report.verdict == "sound"


def loud(findings):
    return sorted(finding.check for finding in findings if finding.severity != "info")


def test_the_page_of_the_gallery_is_current():
    assert PAGE.read_text(encoding="utf-8") == gallery_page(), "Run `python -m tests.gallery`."
