import threading
import time

import pytest


@pytest.fixture
def slept(monkeypatch):
    """The seconds of each `time.sleep` of the test itself, which takes none."""
    seconds, really, here = [], time.sleep, threading.current_thread()

    def sleep(wait):
        (seconds.append if threading.current_thread() is here else really)(wait)

    monkeypatch.setattr(time, "sleep", sleep)
    return seconds
