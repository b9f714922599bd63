"""Processes see who of them has stopped, and the first one shows what the others warn of."""

import warnings
from functools import partial

import pytest
import torch
from torch.distributed import HashStore

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.errors import UsageError
from grpo_env_trl import ranks
from grpo_env_trl.rank_signs import RankSigns, lost_another, ran_out_of_time

GLOO = "[/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 4000ms for recv operation"

CLOSED = "[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:28838."


@pytest.fixture
def together():
    """Starts the signs of processes that share a store; each shows warnings in a list of its own."""
    store, begun = HashStore(), []

    def start(count):
        shown = [[] for _ in range(count)]
        for rank in range(count):
            show = partial(lambda shown, message, *rest: shown.append(str(message)), shown[rank])
            begun.append(RankSigns(rank, count, show, every=0.2))
        return begun, shown, [partial(signs.begin, store, 20.0) for signs in begun]

    yield start
    for signs in begun:
        signs.end()


def warn(signs, text, category=GrpoEnvWarning, line=3):
    signs.warned(category(text), category, "env.py", line)


def test_the_first_process_shows_what_others_warn_of_once_before_they_met_and_after(together):
    (first, second, third), (shown, *others), begin = together(3)
    warn(second, "no disk here")
    for each in begin:
        each()
    warn(third, "no net here")
    warn(third, "no net here")
    first.end()
    assert sorted(shown) == ["Process 1 of 3: no disk here", "Process 2 of 3: no net here"]
    assert others == [[], []]


@pytest.mark.parametrize("category", [GrpoEnvWarning, UserWarning])
def test_what_the_first_process_warns_of_too_is_shown_as_its_own(category, together):
    (first, second), (shown, _), begin = together(2)
    for each in begin:
        each()
    warn(first, "an old model", category)
    warn(second, "an old model", category)
    first.end()
    assert shown == ["an old model"]


def test_a_library_warns_at_one_place_for_all_processes(together):
    (first, second), (shown, _), begin = together(2)
    for each in begin:
        each()
    warn(first, "uses device 0", UserWarning)
    warn(second, "uses device 1", UserWarning)
    warn(second, "uses no device", UserWarning, line=4)
    first.end()
    assert shown == ["uses device 0", "Process 1 of 2: env.py:4: UserWarning: uses no device"]


def test_a_process_that_gives_no_sign_is_named_and_else_one_that_never_waited(together):
    (first, second, third), _, begin = together(3)
    for each in begin:
        each()
    assert "Processes 1, 2 of 3 kept the others waiting for more than 20 s" in first.who_is_late("Again.").message
    assert "Process 1 of 3 kept" in third.who_is_late("Again.").message
    third.end()
    error = second.who_is_late("Again.")
    assert error.message.startswith("Process 2 of 3 gave no sign of life")
    assert error.hint.endswith("Again.")


def test_processes_that_never_met_have_no_number():
    error = RankSigns(0, 4, warnings.showwarning).who_is_late("Again.")
    assert error.message.startswith("Not all of 4 processes came within ")


def fail_twice(text):
    try:
        raise RuntimeError(text)
    except RuntimeError as exc:
        raise ValueError("no training") from exc


def test_an_operation_that_ran_out_of_time_is_known_also_below_other_errors():
    assert ran_out_of_time(RuntimeError(GLOO))
    with pytest.raises(ValueError, match="no training") as raised:
        fail_twice(GLOO)
    assert ran_out_of_time(raised.value)
    assert not ran_out_of_time(TimeoutError("timed out"))
    assert not ran_out_of_time(None)


def test_an_operation_during_which_another_process_ended_is_known_also_below_other_errors():
    assert lost_another(RuntimeError(CLOSED))
    assert lost_another(torch.distributed.DistBackendError("NCCL error: remote process exited"))
    with pytest.raises(ValueError, match="no training") as raised:
        fail_twice(CLOSED)
    assert lost_another(raised.value)
    assert not lost_another(ConnectionResetError("Connection reset by peer"))  # of environment code
    assert not lost_another(RuntimeError(GLOO))
    assert not lost_another(None)


def test_a_group_that_environment_code_has_ended_is_one_line(together, monkeypatch):
    (first, _), _, (begin, _) = together(2)
    monkeypatch.setattr(ranks, "_signs", [first])
    with pytest.raises(ValueError, match="not been initialized"), ranks.late_processes_named("Again."):
        raise ValueError("Default process group has not been initialized")
    begin()
    with pytest.raises(ranks.GroupGoneError) as raised, ranks.late_processes_named("Again."):
        raise ValueError("Default process group has not been initialized")
    assert "destroy_process_group" in raised.value.message
    assert raised.value.hint.endswith("Again.")
    with pytest.raises(UsageError), ranks.late_processes_named("Again."):  # says more
        raise UsageError("No room.", "Make some.")
