"""Processes of a launcher on a machine without a GPU, and which of them print."""

import os
import warnings

import pytest

from grpo_env_sdk.ext import UsageError
from grpo_env_trl import ranks
from grpo_env_trl.launching.starting import ON_CPU
from grpo_env_trl.launching.without_gpu import train_together_on_cpu
from grpo_env_trl.settings import TrainSettings


@pytest.fixture
def launched(monkeypatch):
    """Makes this process one of two that a launcher started."""

    def one(rank):
        monkeypatch.setattr(os, "environ", {"WORLD_SIZE": "2", "RANK": str(rank)})

    return one


def notes_of(gpus=0, **grpo):
    """What is noted where so many GPUs are found."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        train_together_on_cpu(TrainSettings(model="m", grpo=grpo), lambda: gpus)
    return [str(one.message) for one in noted]


@pytest.mark.parametrize("rank", [0, 1])
def test_without_a_gpu_all_choose_the_cpu_and_the_first_one_says_so(launched, rank):
    launched(rank)
    assert ["--use-cpu" in note for note in notes_of()] == [True] * (rank == 0)
    assert ON_CPU.items() <= os.environ.items()


@pytest.mark.parametrize("given", [{"gpus": 2}, {"use_cpu": True}, {"use_cpu": False}])
def test_with_gpus_or_a_choice_of_ones_own_nothing_changes(launched, given):
    launched(0)
    assert notes_of(**given) == []
    assert not ON_CPU.keys() & os.environ.keys()


def test_a_process_that_is_ended_while_it_waits_with_its_error_prints_nothing(launched, monkeypatch):
    def ended(seconds):
        assert seconds > 10  # the launcher ends slowly on a busy machine
        raise KeyboardInterrupt

    launched(1)
    monkeypatch.setattr(ranks.time, "sleep", ended)
    with pytest.raises(SystemExit), ranks.print_once():
        raise UsageError("All processes have this error.")
