"""A check that trains has time of its own, beyond what the others share."""

import pytest

from grpo_env_sdk.checking.check import all_checks, selected
from grpo_env_sdk.checking.evidence.playing.settings import Settings
from grpo_env_sdk.checking.runner.check_env import check_plan, check_target, target_of
from grpo_env_sdk.checking.runner.runner import MOST_SLOWER
from grpo_env_sdk.checking.runner.sequence import EARLY
from grpo_env_sdk.checking.runner.worker import Order, work
from grpo_env_sdk.types import EnvSpec
from tests.environments import Countdown

TRAINS = """
@check("L990", seconds=40)
def trains(subject):
    \"\"\"It has time.\"\"\"
    subject.note_stage("learning: step 1/2")
    yield Finding(f"{subject.time_left:.0f} s")
"""
NAME = "tests.environments:Countdown"


@pytest.fixture
def events(plugin_checks):
    """What a process tells that does some checks and the one that trains, in ten seconds."""
    plugin_checks(TRAINS)
    found = []
    ids = tuple(item.id for item in selected(["C101", "C110", "L990"]))
    work(Order(EnvSpec(NAME, NAME), Settings("quick"), ids, 10.0), found.append, Countdown)
    return found


def test_a_check_with_seconds_of_its_own_gets_them_and_takes_none_from_the_others(events):
    said = [event["item"]["message"] for event in events if event["event"] == "found"]
    assert said == ["40 s"]
    assert [event["check"] for event in events if event["event"] == "ended"] == ["C101", "C110", "L990"]


def test_what_trains_runs_only_when_asked_for(plugin_checks):
    plugin_checks(TRAINS)
    assert all_checks()["L990"].group == "learn"
    assert "L990" not in [item.id for item in selected(effort="thorough")]
    assert "L990" in [item.id for item in selected(learn=True)]


@pytest.mark.parametrize("pool", ["process", "thread"])
def test_ctrl_c_while_it_trains_keeps_the_findings_of_the_others(plugin_checks, pool):
    plugin_checks(TRAINS)

    def stop(event):
        if event.get("check") == "L990":
            raise KeyboardInterrupt

    plan = check_plan(select="C101,C110,L990", env_pool=pool, timeout=60.0)
    report = check_target(target_of(NAME), plan, stop)
    assert report.interrupted
    assert list(report.timings) == ["C101", "C102", "C103", "C104", "C110"]
    assert report.facts["rows"] > 0
    (gap,) = report.undecided
    assert "L990" in gap.checks
    assert "stopped" in gap.why


def test_ctrl_c_before_that_ends_the_command(plugin_checks):
    plugin_checks(TRAINS)

    def stop(event):
        if event.get("check") == "C110":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_target(target_of(NAME), check_plan(select="C101,C110,L990", env_pool="thread"), stop)


def test_a_longer_timeout_and_a_busy_machine_give_it_more(plugin_checks):
    plugin_checks(TRAINS)
    for timeout, least in ((30.0, 40.0), (60.0, 60.0)):
        plan = check_plan(select="L990", timeout=timeout, env_pool="thread")
        (finding,) = check_target(target_of(NAME), plan).findings
        assert least - 5 < float(finding.message.partition(" ")[0]) <= MOST_SLOWER * least


def test_checks_that_a_verdict_needs_have_time_for_their_episodes_however_little_there_is():
    early = [all_checks()[id] for id in EARLY]
    assert [check.id for check in early if check.share < 4 and check.plays < 60] == []
