"""A cluster that `ray start` has left running, and that asks for a token: it is found, used, and left as it is."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parents[3]
TOKEN = "0123456789abcdef" * 4


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """The address of the cluster, and the variables of a person who has its token."""
    psutil = pytest.importorskip("psutil")
    folder = tmp_path_factory.mktemp("r", numbered=True)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    environ = os.environ | {
        "RAY_TMPDIR": str(folder), "HOME": str(folder), "RAY_AUTH_TOKEN": TOKEN, "RAY_USAGE_STATS_ENABLED": "0",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'plugins/grpo-env-ray'}",
    }  # fmt: skip
    ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", f"--port={port}", "--num-cpus=2"]
    words = [*ray, "--include-dashboard=false"]
    done = subprocess.run(words, env=environ | {"RAY_AUTH_MODE": "token"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    yield (folder / "ray" / "ray_current_cluster").read_text(), environ
    for process in psutil.process_iter(["environ"]):
        if (process.info["environ"] or {}).get("RAY_TMPDIR") == str(folder):
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


def grpo_env(environ, folder, *words):
    run = [sys.executable, "-m", "grpo_env_sdk", *words]
    return subprocess.run(run, env=environ, cwd=folder, capture_output=True, text=True, timeout=300)


def test_a_running_cluster_is_found_used_for_eval_and_rescore_and_stays(started, tmp_path):
    address, environ = started
    evaluate = ("eval", "hotel-v1", "--model", "gold", "-n", "3", "--env-pool", "ray", "--env-workers", "1")
    done = grpo_env(environ, tmp_path, *evaluate, "--out", "run")
    assert done.returncode == 0, done.stderr
    assert "3 scored" in done.stdout
    given = environ | {"RAY_AUTH_MODE": "token"}
    done = grpo_env(given, tmp_path, "rescore", "run", "--env-pool", "ray", "--ray-address", address)
    assert done.returncode == 0, done.stderr
    assert "3 unchanged" in done.stdout


@pytest.mark.parametrize("more", [{}, {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "fedcba98" * 8}])
def test_an_address_whose_token_is_not_sent_is_refused_in_one_line(started, tmp_path, more):
    address, environ = started
    words = ("eval", "hotel-v1", "--model", "gold", "--env-pool", "ray", "--ray-address", address)
    done = grpo_env(environ | more, tmp_path, *words)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert f"{address} asks for a token" in line
    assert "RAY_AUTH_MODE=token" in line
    assert [*tmp_path.iterdir()] == []
