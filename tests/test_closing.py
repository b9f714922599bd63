"""Every instance that was begun is closed once, in every command and every process."""

import io
from collections import Counter

import pytest

from grpo_env_sdk.cli import main
from tests.counted import FILE

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
    assert main(["test", COUNTED, "--quick", "--select", checks, "--no-isolation"]) == 0
    check_closed(lines())


def test_async_instances_and_what_they_share_are_closed_by_checks(lines):
    checks = "E301,E303,E306,E307,E313,E320,E323,T402,K701,K710"
    assert main(["test", ASYNC, "--quick", "--select", checks, "--no-isolation"]) == 0
    check_closed(lines())


@pytest.mark.parametrize("env", [COUNTED, ASYNC])
def test_the_processes_of_a_test_close_what_they_began(lines, env):
    assert main(["test", env, "--quick", "--select", "E301,E303,E306,T402"]) == 0
    check_closed(lines())
