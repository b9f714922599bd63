"""Where environment code runs: what a step costs in each pool, and how fast a worker is replaced."""

import asyncio
import statistics
import time

from grpo_env_sdk import load
from grpo_env_sdk.ext import EnvPool, Job, ProcessHosts, Reset, Rollout, Step, ThreadHosts, jobs_for, rollouts
from grpo_env_sdk.policies import make_policy
from tests.benchmarks.pool_envs import Counts, Talks
from tests.benchmarks.table import Table

TURNS = 110
ROW = {"prompt": "Talk.", "case_idx": 0}
SAID = Step({"role": "assistant", "content": "y" * 2000})
HEAVY = 40


def measure() -> Table:
    """Milliseconds a step with 2 kB there and back, beside threads; scorers on two workers; recovery."""
    steps = {kind: asyncio.run(timed_steps(_hosts(Talks, kind))) for kind in ("thread", "process", "sandbox")}
    usual = statistics.median(steps["thread"])
    rows = [
        [f"a step, {kind}", f"{statistics.median(found):.2f} ms", f"{statistics.median(found) - usual:+.2f} ms"]
        for kind, found in steps.items()
    ]
    for kind in ("process", "sandbox"):
        early, late = (statistics.median(part) for part in (steps[kind][1:11], steps[kind][-10:]))
        rows.append([f"turns 100 to 110 beside turns 2 to 11, {kind}", f"{late:.2f} ms", f"{late / early:.2f} times"])
    one, two = (asyncio.run(_scored(workers)) for workers in (1, 2))
    rows.append([f"{HEAVY} scorers of 50 ms, 1 and 2 workers", f"{one:.2f} s, {two:.2f} s", f"{one / two:.2f} times"])
    rows.append(
        ["a worker that ended, until another has reset hotel-v1", f"{asyncio.run(_recovery()) * 1e3:.0f} ms", ""]
    )
    return Table(
        "Where environment code runs",
        "A step of an environment that answers 2 kB with 2 kB, medians. To hold: `process` at most 0.3 ms above "
        "`thread`, `sandbox` 0.4 ms, turn 100 no dearer than turn 2; two workers 1.8 times one; recovery 0.3 s.",
        ["what", "time", "beside"],
        rows,
    )


def _hosts(env, kind, workers=1):
    loaded = load(env)
    loaded.rows()
    loaded.pool = EnvPool(kind, None if kind == "thread" else workers)
    return ThreadHosts(loaded, 60.0) if kind == "thread" else ProcessHosts(loaded, 60.0)


async def timed_steps(hosts):
    """The milliseconds of each step of one episode of `Talks`."""
    try:
        await hosts.begin()
        host, times = hosts.open(Job(0)), []
        await host.perform(Reset(ROW, 1))
        for _ in range(TURNS):
            started = time.perf_counter()
            await host.perform(SAID)
            times.append((time.perf_counter() - started) * 1e3)
        await host.close()
        return times
    finally:
        await hosts.end()
        hosts.close()


async def _scored(workers):
    loaded = load(Counts)
    rows, loaded.pool = loaded.rows(), EnvPool("process", workers)
    began = 0.0
    async for _ in rollouts(loaded, rows, Rollout(make_policy("echo")), jobs_for(rows)):
        began = began or time.perf_counter()
    return (time.perf_counter() - began) * HEAVY / (HEAVY - 1)


async def _recovery():
    hosts = _hosts("hotel-v1", "process")
    row = hosts.loaded.rows().row(0)
    try:
        await hosts.begin()
        found = []
        for _ in range(7):
            host = hosts.open(Job(0))
            await host.perform(Reset(row, 1))
            worker = host._worker
            started = time.perf_counter()
            worker.kill()
            await host.close()
            again = hosts.open(Job(0))
            await again.perform(Reset(row, 1))
            found.append(time.perf_counter() - started)
            await again.close()
        return statistics.median(found)
    finally:
        await hosts.end()
        hosts.close()
