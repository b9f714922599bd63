"""Every instance that was begun is closed once, in every command and every process."""

import asyncio
import io
import re
import threading
from collections import Counter
from contextlib import contextmanager

import pytest

from grpo_env_sdk import Limits, check_env, evaluate, load, tool
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.policies import make_policy
from grpo_env_sdk.rollout.driver import Rollout
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.in_threads import rollouts
from tests.counted import FILE
from tests.environments import Phonebook
from tests.talking import Shop

COUNTED = "tests.counted:Counted"
ASYNC = "tests.counted:CountedAsync"
BOTH = pytest.mark.parametrize(("env", "shared"), [(COUNTED, 0), (ASYNC, 2)])


@pytest.fixture
def lines(tmp_path, monkeypatch):
    """What was begun and closed, by process and instance."""
    file = tmp_path / "counted"
    monkeypatch.setenv(FILE, str(file))
    monkeypatch.chdir(tmp_path)
    return lambda: [line.split() for line in file.read_text().splitlines()]


def check_closed(lines):
    """Begun and closed take turns for each instance, and nothing stays open."""
    seen = Counter()
    for what, *instance in lines:
        seen[tuple(instance)] += 1 if what == "begun" else -1
        assert seen[tuple(instance)] in (0, 1)
    assert not any(seen.values())
    assert lines


@BOTH
def test_an_evaluation_closes_what_it_began(lines, env, shared):
    assert main(["eval", env, "--model", "gold", "--split", "all", "-k", "2", "--out", "run"]) == 0
    check_closed(lines())
    assert len(lines()) == 120 + shared


@pytest.mark.parametrize(("typed", "code"), [("add a=0 b=2\nDone.\n", 0), ("add a=0 b=2\n", 130), ("", 130)])
@BOTH
def test_a_person_who_plays_or_leaves_closes_what_they_began(lines, typed, code, env, shared, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert main(["play", env]) == code
    check_closed(lines())
    assert len(lines()) == 2 + shared


@pytest.mark.parametrize("checks", ["E301", "E303", "E306", "E307", "E313", "E320", "E323", "T402", "K701", "K710"])
def test_a_check_closes_what_it_began(lines, checks):
    assert main(["test", COUNTED, "--quick", "--select", checks, "--env-pool", "thread"]) == 0
    check_closed(lines())


def test_async_instances_and_what_they_share_are_closed_by_checks(lines):
    checks = "E301,E303,E306,E307,E313,E320,E323,T402,K701,K710"
    assert main(["test", ASYNC, "--quick", "--select", checks, "--env-pool", "thread"]) == 0
    check_closed(lines())


@pytest.mark.parametrize("env", [COUNTED, ASYNC])
def test_the_processes_of_a_test_close_what_they_began(lines, env):
    assert main(["test", env, "--quick", "--select", "E301,E303,E306,T402"]) == 0
    check_closed(lines())


class Leaves(Shop):
    """Its `close` fails after an episode, and so does what comes after the yield of `open_shared`."""

    @contextmanager
    def open_shared(self):
        yield "open"
        raise LookupError("nothing to close")

    def close(self):
        if self.turns:
            raise ValueError("closed badly")


PLACE = r"\(\S*test_closing\.py:\d+\)"


def test_a_close_that_raises_is_one_warning_with_its_place_and_costs_no_score():
    with pytest.warns(GrpoEnvWarning) as warned:
        found = evaluate(Leaves, "gold", split="all")
    assert found.summary["reward"]["mean"] == 1.0
    closed, left = (str(item.message) for item in warned)
    assert re.search(rf"Leaves\.close raised ValueError: closed badly {PLACE}", closed)
    assert re.search(rf"Leaves\.open_shared raised LookupError: nothing to close {PLACE} when it was left", left)


def test_a_close_that_raises_is_a_finding_and_no_warning():
    report = check_env(Leaves, effort="quick", select=["E313"], env_pool="thread")
    closed, left = report.findings
    assert {finding.check for finding in report.findings} == {"E313"}
    assert re.search(rf"Leaves\.close raised ValueError.*{PLACE}", closed.message)
    assert re.search(rf"Leaves\.open_shared raised LookupError.*{PLACE}", left.message)
    assert report.ok


def test_a_close_that_hangs_is_a_warning():
    class Hangs(Shop):
        async def close(self):
            await asyncio.Event().wait()

    with pytest.warns(GrpoEnvWarning, match=r"close did not come back within 0\.5 s"):
        evaluate(Hangs, "gold", split="all", rows=1, limits=Limits(call_seconds=0.5))


@pytest.mark.parametrize("awaits", [False, True])
@pytest.mark.parametrize("late", [False, True])
def test_an_instance_that_the_run_left_in_a_call_is_closed_once_that_is_back(late, awaits):
    entered, release, closed = threading.Event(), threading.Event(), threading.Event()

    class Slow(Phonebook):
        @tool
        def look_up(self, name: str) -> str:
            """The number of a person."""
            entered.set()
            release.wait(60)
            assert not closed.is_set()
            return "12"

        def close(self):
            closed.set()

    class SlowAsync(Slow):
        async def close(self):
            closed.set()

    async def left():
        loaded = load(SlowAsync if awaits else Slow)
        rollout = Rollout(make_policy("gold"), limits=Limits(call_seconds=0.5 if late else 60))
        episodes = rollouts(loaded, loaded.rows(), rollout, [Job(0)])
        going = asyncio.create_task(anext(episodes))
        await asyncio.to_thread(entered.wait, 60)
        if late:
            assert (await going).stop_reason == "timeout"
        else:
            going.cancel()
            await asyncio.wait({going})
        await episodes.aclose()
        assert not closed.is_set()

    asyncio.run(left())
    release.set()
    assert closed.wait(60)
