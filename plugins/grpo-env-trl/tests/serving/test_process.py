"""A server as a process: ready, failing, slow, and gone with the training however that ends."""

import os
import signal
import subprocess
import sys
import time
import urllib.request

import psutil
import pytest

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.serving.process import await_ready, last_line, running

SERVER = """
import http.server, subprocess, sys, time
port, begin = int(sys.argv[1]), sys.argv[2]
print("loading the model", flush=True)
engine = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])  # as vLLM's engine core
print("engine", engine.pid, flush=True)
if begin == "fails":
    print("ValueError: Free memory on device is less than desired")
    print("RuntimeError: Engine core initialization failed. See root cause above.")
    sys.exit(3)
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if begin == "works" else 503)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", port), Health).serve_forever()
"""
PARENT = """
import sys, time
from pathlib import Path
from grpo_env_trl.serving.process import await_ready, running
log, url = Path(sys.argv[1]), sys.argv[2]
with running(sys.argv[3:], {}, log) as process:
    await_ready(process, url, log, 60, lambda done, of: None)
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def server(tmp_path, free_port):
    """The command of a server that begins in some way, its address and its log."""
    (tmp_path / "server.py").write_text(SERVER)
    command = [sys.executable, str(tmp_path / "server.py"), str(free_port)]
    return command, f"http://127.0.0.1:{free_port}", tmp_path / "vllm.log"


@pytest.fixture
def free_port():
    """A port on which nobody listens."""
    from grpo_env_trl.serving.process import free_port

    return free_port()


def engine_of(log):
    """The process that the server started."""
    return psutil.Process(int(log.read_text().partition("engine ")[2].split()[0]))


def answers(url):
    """Whether somebody listens there."""
    try:
        return urllib.request.urlopen(f"{url}/health", timeout=5).status == 200
    except OSError:
        return False


def is_over(process):
    """Wait for a process to be gone."""
    return process not in psutil.wait_procs([process], timeout=30)[1]


def test_it_is_awaited_with_progress_and_ends_with_the_block(server):
    command, url, log = server
    shown = []
    with running([*command, "works"], os.environ, log) as process:
        await_ready(process, url, log, 60, lambda done, of: shown.append((done, of)))
        assert answers(url)
        engine = engine_of(log)
    assert shown[0] == (0, 60)
    assert is_over(engine)
    assert not answers(url)
    assert "loading the model" in log.read_text()


def test_one_that_does_not_start_is_an_error_with_the_line_that_says_why(server):
    command, url, log = server
    with pytest.raises(UsageError) as caught, running([*command, "fails"], os.environ, log) as process:
        await_ready(process, url, log, 60, lambda done, of: None)
    assert "exit code 3" in str(caught.value)
    assert "ValueError: Free memory on device is less than desired" in str(caught.value)
    assert str(log) in str(caught.value)
    assert is_over(engine_of(log))


def test_one_that_is_never_ready_is_ended_at_the_deadline(server):
    command, url, log = server
    slow = pytest.raises(UsageError, match=r"not ready after 2 seconds: .*--vllm-server-timeout")
    with slow, running([*command, "hangs"], os.environ, log) as process:
        await_ready(process, url, log, 2, lambda done, of: None)
    assert process.poll() is not None
    assert not answers(url)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_it_is_gone_when_the_training_is_interrupted_or_killed(server, tmp_path, how):
    command, url, log = server
    (tmp_path / "parent.py").write_text(PARENT)
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, str(tmp_path / "parent.py"), str(log), url, *command, "works"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ) as parent:
        assert parent.stdout.readline() == b"ready\n"
        engine = engine_of(log)
        parent.send_signal(how)
        parent.wait(60)
    assert is_over(engine)
    while answers(url):  # the keeper polls
        time.sleep(0.05)


def test_the_line_of_a_log_that_says_most(tmp_path):
    log = tmp_path / "log"
    assert last_line(log) == "it wrote nothing."
    log.write_text("INFO starting\nINFO still starting\n\n")
    assert last_line(log) == "INFO still starting"
    log.write_text("torch.OutOfMemoryError: CUDA out of memory\nRuntimeError: failed. See root cause above.\nbye\n")
    assert last_line(log) == "torch.OutOfMemoryError: CUDA out of memory"
