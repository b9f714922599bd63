"""How long another process may take for the episodes that it plays."""

import os

import pytest

from grpo_env_sdk.checking.evidence.processes.other_process import PlayedElsewhere
from tests.checking.trying import asking, subject_of


class Waited:
    """A process that says how long it was waited for."""

    failure = ""

    def answer(self, seconds):
        self.seconds = seconds


@pytest.mark.parametrize(("load", "seconds"), [(0.0, 20.0), (1e6, 80.0)])
def test_a_busy_machine_gets_more_time_and_not_without_end(monkeypatch, load, seconds):
    monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load))
    played = PlayedElsewhere(subject_of(asking(lambda n, rng: (f"What is {n}?", str(n)))), [])
    played._child = child = Waited()
    assert played.episodes() is None
    assert child.seconds == seconds
