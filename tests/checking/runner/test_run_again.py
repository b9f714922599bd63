"""Checks that had too little time run once more, in what is left of the timeout; little work is never said to be ok."""

import pytest

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.evidence.playing.tried import TRIED_LITTLE
from grpo_env_sdk.checking.findings.finding import MORE_TIME, Undecided
from grpo_env_sdk.checking.runner.check_env import check_plan, check_target, target_of
from grpo_env_sdk.checking.runner.results import Results
from grpo_env_sdk.checking.runner.worker import found_by
from tests.checking.trying import asking, subject_of

NEEDS_TIME = """
from grpo_env_sdk.checking.evidence.playing.failures import OutOfTimeError

@check("G990")
def needs_time(subject):
    \"\"\"It needs more seconds than it gets at first.\"\"\"
    if subject.time_left < 20:
        raise OutOfTimeError
    yield Finding("It had time.")

@check("G991")
def never_enough(subject):
    \"\"\"It needs more seconds than there are.\"\"\"
    raise OutOfTimeError
"""
NAME = "tests.environments:Countdown"
PAST = -60.0
"""Seconds with which a check ends before it begins, also by a clock that makes up for a busy machine."""


def checked(select, pool, on_event=lambda event: None, timeout=120.0, **more):
    plan = check_plan(select=select, env_pool=pool, timeout=timeout, **more)
    return check_target(target_of(NAME), plan, on_event)


@pytest.mark.parametrize("pool", ["process", "thread"])
def test_a_check_that_had_too_little_time_gets_what_is_left(plugin_checks, pool):
    plugin_checks(NEEDS_TIME)
    started = []
    report = checked("C101,G990", pool, lambda event: event["event"] == "started" and started.append(event["check"]))
    assert [finding.message for finding in report.findings] == ["It had time."]
    assert report.undecided == []
    assert started == ["C101", "C102", "C103", "C104", "G990", "G990"]


def test_a_quick_test_has_no_second_run(plugin_checks):
    plugin_checks(NEEDS_TIME)
    report = checked("C101,G990", "thread", effort="quick")
    assert [gap.checks for gap in report.undecided] == [("G990",)]


def test_what_stays_undecided_is_said_once(plugin_checks):
    plugin_checks(NEEDS_TIME)
    report = checked("C101,G991", "thread")
    assert [(gap.checks, gap.would_help) for gap in report.undecided] == [(("G991",), MORE_TIME)]


def test_more_than_the_timeout_of_this_run_is_advised():
    for timeout, advised in ((120.0, "--timeout 600"), (600.0, "--timeout 1200")):
        results = Results("sums-v1", "/", timeout)
        results.add(Undecided("It was late.", MORE_TIME, ("G505",), "--timeout 600"))
        assert [gap.flags for gap in results.report.undecided] == [advised]


def test_nothing_runs_again_where_nothing_is_left(plugin_checks):
    plugin_checks(NEEDS_TIME)
    started = []
    checked("G991", "thread", lambda event: event["event"] == "started" and started.append(event["check"]), timeout=5.0)
    assert started.count("G991") == 1


@pytest.mark.parametrize("pool", ["process", "thread"])
def test_ctrl_c_in_the_second_run_ends_the_command(plugin_checks, pool):
    plugin_checks(NEEDS_TIME)
    started = []

    def stop(event):
        started.extend([event["check"]] if event["event"] == "started" else [])
        if started.count("G991") == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checked("C101,G991", pool, stop)


def without_time(id):
    """What a check says that gets no time, where an episode takes long."""
    check, subject = all_checks()[id], subject_of(asking(lambda n, rng: (f"What is {n} + 5?", str(n + 5))))
    subject.episode_seconds = 1.0
    for before in ("S201", "G501"):  # these play the rows that are guaranteed
        subject.begin(before, PAST, all_checks()[before].group)
        list(found_by(all_checks()[before], subject))
    subject.begin(id, PAST, check.group)
    return [item for item in found_by(check, subject) if isinstance(item, Undecided)]


@pytest.mark.parametrize("id", ["G503", "G506", "G508"])
def test_a_check_that_tried_next_to_nothing_is_undecided(id):
    (gap,) = without_time(id)
    assert (gap.why, gap.checks) == (TRIED_LITTLE.why, (id,))
    assert gap.for_time


def test_fixed_answers_that_were_not_tried_are_undecided():
    (gap,) = without_time("G505")
    assert "had time to try" in gap.why
    assert gap.for_time


def test_a_check_with_time_says_nothing():
    subject = subject_of(asking(lambda n, rng: (f"What is {n} + 5?", str(n + 5))))
    for id in ("G501", "G503", "G505", "G506"):
        subject.begin(id, None, "teaching")
        assert not [item for item in found_by(all_checks()[id], subject) if isinstance(item, Undecided)]
