"""When one of several processes stops them all because its episodes fail, and what is said of failures at the end."""

from collections import Counter
from types import SimpleNamespace

import pytest

from grpo_env_trl import ranks
from grpo_env_trl.training import stopping


@pytest.fixture
def second_of_two(monkeypatch):
    """This process is the second of two, and the first one scores."""
    monkeypatch.setattr(ranks, "on_all", lambda flag: False)
    monkeypatch.setattr(ranks, "on_any", lambda flag: flag)
    monkeypatch.setattr(ranks, "of_all", lambda value: [("0 batches", ""), value])
    monkeypatch.setattr(stopping, "failure_of", lambda episode: SimpleNamespace(message="the judge is gone"))


def stops_after(failing, batches, size, failed=True):
    """Whether the training stops after so many batches of this size."""
    control = SimpleNamespace(should_save=False, should_training_stop=False)
    for _ in range(batches):
        failing.seen(SimpleNamespace(training=True, all_failed=failed, episodes=[None] * size))
        failing.on_step_end(None, None, control)
    return control.should_save and control.should_training_stop


def test_one_process_that_fails_for_long_stops_all_and_is_named(second_of_two):
    failing = stopping.StopWhereAllFail()
    assert not stops_after(failing, 3, 16)
    assert stops_after(failing, 1, 16)
    assert failing.cause == "all episodes of 4 batches of process 1 of 2 failed, most often with: the judge is gone"


def test_failures_by_chance_stop_nobody(second_of_two):
    failing = stopping.StopWhereAllFail()
    assert not stops_after(failing, 20, 2)
    assert not stops_after(failing, 1, 2, failed=False)
    assert not stops_after(failing, 31, 2)  # they count from the beginning again
    assert failing.cause is None


def test_three_large_batches_are_no_less_than_three(second_of_two):
    failing = stopping.StopWhereAllFail()
    assert not stops_after(failing, 2, 64)
    assert stops_after(failing, 1, 64)


def test_the_end_counts_the_failures_of_all_processes_and_names_those_that_have_them(second_of_two, monkeypatch):
    failing = stopping.StopWhereAllFail()
    stops_after(failing, 2, 4)
    monkeypatch.setattr(ranks, "of_all", lambda value: [(Counter(), 8), value])
    assert failing.told() == "8 of 16 episodes failed, all in process 1 of 2, most often with: the judge is gone"
    monkeypatch.setattr(ranks, "of_all", lambda value: [value, value])
    assert failing.told() == "16 of 16 episodes failed, most often with: the judge is gone"
    monkeypatch.setattr(ranks, "of_all", lambda value: [(Counter(), 8), (Counter(), 8)])
    assert failing.told() == ""
