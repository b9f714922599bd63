"""What tests of worker processes share, and workers import: a host whose worker answers anything, what to wait for."""

import os
import time
from contextlib import contextmanager

import pytest

from grpo_env_sdk import evaluate, load
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from grpo_env_sdk.isolation.processes.forked import Forked
from grpo_env_sdk.rollout.process_frames import Frame, Packet
from grpo_env_sdk.rollout.process_host import ProcessHosts
from grpo_env_sdk.rollout.worker_channel import Worker


def untimed(episode):
    record = {**episode.as_json(), "timings": None}
    return {**record, "tool_calls": [{**call, "seconds": 0} for call in record["tool_calls"]]}


@contextmanager
def standard_error_in(path):
    """The descriptor that processes inherit, and not only what Python prints."""
    kept = os.dup(2)
    with open(path, "w") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


class Forging(ProcessHosts):
    """Hosts whose one worker answers whatever is asked with the same text."""

    def __init__(self, env, ours, theirs, text, kind="event"):
        loaded = load(env)
        loaded.pool = EnvPool("process", 1)
        super().__init__(loaded)
        ours.setblocking(False)
        theirs.sendall(Frame(kind, 1, Packet(text, [b"12345678", b""])).packed())
        self.forged = Worker(Forked(lambda: None, lambda fate: None, ours, -1))

    async def worker(self):
        return self.forged


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(holds):
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.01)
    pytest.fail("it never happened")


def played(env, policy, pool, **more):
    found = evaluate(env, policy, split="all", rows=6, samples=2, env_pool=pool, **more)
    return {(episode.row_index, episode.sample): untimed(episode) for episode in found.kept}
