import tempfile
import threading
import time

import pytest


@pytest.fixture(autouse=True, scope="module")
def own_temporary_folder(tmp_path_factory):
    """Exhibits leave files and folders behind on purpose: not in the temporary directory of the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("exhibits")))
        yield


@pytest.fixture
def slept(monkeypatch):
    """The seconds of each `time.sleep` of the test itself, which takes none."""
    seconds, really, here = [], time.sleep, threading.current_thread()

    def sleep(wait):
        (seconds.append if threading.current_thread() is here else really)(wait)

    monkeypatch.setattr(time, "sleep", sleep)
    return seconds
