"""What a step costs on Ray beside threads, and how soon an episode goes on after its node was killed."""

import asyncio
import os
import statistics
import time

from grpo_env_sdk import load
from grpo_env_sdk.ext import EnvPool, Job, ProcessHosts, Reset, ThreadHosts
from tests.benchmarks.env_pools import ROW, SAID, timed_steps
from tests.benchmarks.pool_envs import Talks
from tests.benchmarks.table import Table

ROUNDS = 3


def measure() -> Table:
    """Milliseconds a step with 2 kB there and back; seconds until an episode has left a killed node."""
    from ray.cluster_utils import Cluster

    os.environ.update(
        RAY_health_check_initial_delay_ms="1000", RAY_health_check_period_ms="500",
        RAY_health_check_failure_threshold="3", RAY_USAGE_STATS_ENABLED="0",
    )  # fmt: skip
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        cluster.add_node(num_cpus=1)
        threads, ray = (
            statistics.median(asyncio.run(timed_steps(_hosts(pool)))) for pool in ("thread", cluster.address)
        )
        recovered = [asyncio.run(_recovery(cluster)) for _ in range(ROUNDS)]
    finally:
        import ray as package

        package.shutdown()
        cluster.shutdown()
    return Table(
        "Environments on Ray",
        "Two nodes on this machine, 2 kB there and back, medians. To hold: an episode goes on within 10 s of the end "
        "of its node, where another node has room.",
        ["what", "time", "beside"],
        [
            ["a step, thread", f"{threads:.2f} ms", ""],
            ["a step, ray", f"{ray:.2f} ms", f"{ray - threads:+.2f} ms"],
            ["a node that was killed, until its episode has gone on", f"{statistics.median(recovered):.1f} s",
             f"{min(recovered):.1f} to {max(recovered):.1f} s"],
        ],
    )  # fmt: skip


def _hosts(pool):
    loaded = load(Talks)
    loaded.rows()
    if pool == "thread":
        return ThreadHosts(loaded, 60.0)
    loaded.pool = EnvPool("ray", 1, options={"ray_address": pool})
    return ProcessHosts(loaded, 60.0)


async def _recovery(cluster):
    """Seconds from the end of a node until its episode has taken a step on another one."""
    hosts = _hosts(cluster.address)
    try:
        await hosts.begin()
        host = hosts.open(Job(0))
        await host.perform(Reset(ROW, 1))
        await host.perform(SAID)
        busy = next(node for node in cluster.worker_nodes)
        cluster.add_node(num_cpus=1)  # in this thread, as Ray wants the main one
        started = time.perf_counter()
        await asyncio.to_thread(cluster.remove_node, busy, False)
        while host.retries == 0:  # actors may outlive their node for a moment
            await host.perform(SAID)
        took = time.perf_counter() - started
        await host.close()
        return took
    finally:
        await hosts.end()
        hosts.close()
