"""Isolated code has its own random state, prints and precision, and leaves the process unchanged."""

import decimal
import random
import sys
import threading

import pytest

from grpo_env_sdk.isolation import global_state
from grpo_env_sdk.isolation.global_state import IsolatedGlobalState, needs_isolation


def test_the_random_state_continues_from_one_call_to_the_next_and_restarts_with_a_seed():
    isolated = IsolatedGlobalState(7)
    before = random.getstate()
    drawn = []
    for _ in range(2):
        with isolated.inside():
            drawn.append(random.random())
    expected = random.Random(7)
    assert drawn == [expected.random(), expected.random()]
    assert random.getstate() == before
    isolated.seed(7)
    with isolated.inside():
        assert random.random() == drawn[0]


@pytest.mark.parametrize(("work", "needs"), [(random.random, True), (lambda: print("x"), True), (lambda: 5, False)])
def test_code_that_draws_or_prints_needs_isolation(work, needs, capsys):
    before = random.getstate()
    assert needs_isolation(work) is needs
    assert random.getstate() == before
    assert capsys.readouterr() == ("", "")


def test_what_is_printed_inside_goes_to_stderr_and_what_others_print_does_not(capsys):
    def other():
        print("from another thread")

    with IsolatedGlobalState(0).inside():
        print("from inside", flush=True)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert sys.stdout.isatty() is False
    print("after")
    assert capsys.readouterr() == ("from another thread\nafter\n", "from inside\n")


def test_whoever_hangs_inside_does_not_lock_out_the_others(monkeypatch):
    monkeypatch.setattr(global_state, "HELD_TOO_LONG", 0.01)
    entered, leave = threading.Event(), threading.Event()

    def hang():
        with IsolatedGlobalState(0).inside():
            entered.set()
            leave.wait()

    thread = threading.Thread(target=hang)
    thread.start()
    entered.wait()
    try:
        with IsolatedGlobalState(1).inside():
            inside = random.random()
    finally:
        leave.set()
        thread.join()
    assert inside == random.Random(1).random()


def test_the_precision_of_decimals_is_the_default_inside_and_untouched_outside():
    with decimal.localcontext(prec=5):
        with IsolatedGlobalState(0).inside():
            assert decimal.getcontext().prec == 28
            decimal.getcontext().prec = 3
        assert decimal.getcontext().prec == 5


def test_what_raises_inside_leaves_the_process_as_it_was():
    before = random.getstate()
    with pytest.raises(KeyError), IsolatedGlobalState(0).inside():
        raise KeyError("x")
    assert random.getstate() == before
