"""Processes that end, stop or are killed: no other episode is lost, and nothing outlives the run."""

import asyncio
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from contextlib import aclosing

import pytest

from grpo_env_sdk import Limits, evaluate, load
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from grpo_env_sdk.isolation.processes.fork_server import _server_behind
from grpo_env_sdk.policies import make_policy
from grpo_env_sdk.rollout.described_env import load_for
from grpo_env_sdk.rollout.driver import Rollout, jobs_for
from grpo_env_sdk.rollout.in_threads import rollouts
from grpo_env_sdk.rollout.process_host import ProcessHosts
from tests.environments import Guess
from tests.rollout.hostile_envs import Hostile
from tests.rollout.worker_processes import is_alive, wait_until


def test_nothing_outlives_a_run_that_is_killed(tmp_path):
    pids = tmp_path / "pids"
    script = (
        "from grpo_env_sdk import evaluate\nfrom tests.rollout.hostile_envs import Hostile\n"
        f"evaluate(Hostile, 'random', config={{'pids': {str(pids)!r}, 'only': 'fork_and_hang'}}, split='all', "
        "env_pool='process')\n"
    )
    run = subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": os.getcwd()})
    try:
        wait_until(lambda: pids.exists() and pids.read_text().endswith("\n"))
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    for pid in map(int, pids.read_text().split()):
        wait_until(lambda pid=pid: not is_alive(pid))


def test_code_that_kills_the_process_that_workers_come_from_is_followed_by_another(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = evaluate(Hostile, "random", config={"only": "topple behave"}, split="all", env_pool="process",
                     env_workers=1)  # fmt: skip
    toppled, behaved = found.kept
    assert (toppled.error.type, "row 0" in toppled.error.message) == ("ProcessEndedError", True)
    assert "code of another episode may have killed it" in toppled.error.message
    assert (behaved.reward, behaved.error) == (1.0, None)
    assert list(tmp_path.iterdir()) == [], "what it could not remove itself"


def test_nothing_outlives_the_process_that_workers_come_from_where_code_kills_it(tmp_path):
    pids = tmp_path / "pids"
    config = {"only": "fork_and_topple behave", "pids": str(pids)}
    evaluate(Hostile, "random", config=config, split="all", env_pool="process", env_workers=1,
             limits=Limits(call_seconds=1.0))  # fmt: skip
    assert [is_alive(pid) for pid in map(int, pids.read_text().split())] == [False] * 3


def test_code_that_stops_the_process_that_workers_come_from_costs_no_other_episode():
    found = evaluate(Hostile, "random", config={"only": "halt exit behave behave"}, split="all", env_pool="process",
                     env_workers=1)  # fmt: skip
    assert [episode.reward for episode in found.kept] == [1.0, None, 1.0, 1.0]


def test_no_worker_is_asked_of_a_process_that_has_ended_with_its_workers():
    loaded = load(Guess)
    loaded.pool = EnvPool("process", 1)

    async def ended():
        hosts = ProcessHosts(loaded)
        try:
            await hosts.begin()
            (worker,), server = hosts._idle, hosts._source._server
            os.kill(server._process.pid, signal.SIGKILL)
            while not worker.forked.ended:
                pass  # with the interpreter held, nobody has heard of the end of the process
            return not server.runs
        finally:
            hosts.close()

    assert all(asyncio.run(ended()) for _ in range(2))


def test_a_fork_of_this_process_has_a_process_of_its_own_to_fork_workers_from():
    loaded = load_for(EnvPool("process", 1), Guess, split="all")
    rows = loaded.rows()

    async def played():
        async with aclosing(rollouts(loaded, rows, Rollout(make_policy("gold")), jobs_for(rows))) as episodes:
            return [episode.error or episode.reward async for episode in episodes]

    def in_fork():
        assert asyncio.run(played()) == [1.0] * len(rows)
        loaded.process.server.close()

    server = loaded.process.server._process
    child = multiprocessing.get_context("fork").Process(target=in_fork)
    with warnings.catch_warnings():  # of threads that this process has: the fork asks nothing of them
        warnings.simplefilter("ignore", DeprecationWarning)
        child.start()
    child.join(60)
    child.kill()
    assert child.exitcode == 0
    assert asyncio.run(played()) == [1.0] * len(rows)
    assert loaded.process.server._process is server


SANDBOX = pytest.param(
    "sandbox", marks=pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
)


@pytest.mark.parametrize("pool", ["process", SANDBOX])
def test_a_process_that_something_has_stopped_is_ended_with_its_workers(pool):
    loaded = load(Guess)
    loaded.pool = EnvPool(pool, 1)

    async def stopped():
        hosts = ProcessHosts(loaded)
        try:
            await hosts.begin()
            (worker,), server = hosts._idle, hosts._source._server
            os.kill(_server_behind(server._process.pid), signal.SIGSTOP)
            worker.kill()
            wait_until(lambda: not server.runs)
        finally:
            hosts.close()

    asyncio.run(stopped())
