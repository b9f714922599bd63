"""Calls that may never come back."""

import threading
import time

import pytest

from grpo_env_sdk.errors import DeadlineError
from grpo_env_sdk.isolation.calls.deadline import ForeignExitError, call_in_thread, call_within


def test_a_call_in_time_gives_its_value():
    assert call_within(5, "adding", lambda a, b: a + b, 1, b=2) == 3


def test_the_call_may_take_arguments_of_any_name():
    assert call_within(5, "it", dict, seconds=1, what=2, function=3) == {"seconds": 1, "what": 2, "function": 3}


def test_a_call_without_deadline_runs_in_this_thread():
    assert call_within(None, "looking", threading.current_thread) is threading.current_thread()


def test_a_call_that_hangs_says_what_took_too_long_and_how_long():
    with pytest.raises(DeadlineError, match=r"the import did not come back within 0\.05 s\."):
        call_within(0.05, "the import", time.sleep, 2)


def raising(error):
    raise error


def test_an_error_of_the_call_is_raised_here():
    error = ValueError("no")
    with pytest.raises(ValueError, match="no") as caught:
        call_in_thread(5, "it", raising, error)
    assert caught.value is error


@pytest.mark.parametrize("error", [SystemExit(3), StopIteration(3), KeyboardInterrupt("3"), GeneratorExit(3)], ids=repr)
def test_an_exit_of_the_call_is_an_ordinary_error_here(error):
    with pytest.raises(ForeignExitError, match=f"{type(error).__name__}: 3") as caught:
        call_in_thread(5, "it", raising, error)
    assert caught.value.__cause__ is error


def test_a_call_that_hangs_does_not_keep_the_process_alive():
    with pytest.raises(DeadlineError):
        call_in_thread(0.01, "sleeping", time.sleep, 30)
    left = [thread for thread in threading.enumerate() if thread.name == "grpo-env: sleeping"]
    assert all(thread.daemon for thread in left)
    assert left
