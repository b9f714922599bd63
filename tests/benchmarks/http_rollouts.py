"""CPU of a rollout against a server on loopback: the raw client, ours, and verifiers 0.1.14 in the same run."""

import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp

from grpo_env_sdk import load
from grpo_env_sdk.policies.openai_policy import OpenAIPolicy
from grpo_env_sdk.rollout.driver import Rollout, jobs_for
from grpo_env_sdk.rollout.in_threads import rollouts
from tests.benchmarks.environments import FiveTurns, OneTurn
from tests.benchmarks.table import Table

PEER = "verifiers==0.1.14"
CONCURRENCY = 64
COUNT = 1000


@contextlib.contextmanager
def server() -> Iterator[str]:
    """The answering server, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.answering_server"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.communicate()


def ours(env: type, url: str) -> float:
    """CPU milliseconds of one of our rollouts."""

    async def play() -> float:
        loaded = load(env)
        rows = loaded.rows("all")[:COUNT]
        policy = OpenAIPolicy("x", url, concurrency=CONCURRENCY)
        started = time.process_time()
        async for episode in rollouts(loaded, rows, Rollout(policy, concurrency=CONCURRENCY), jobs_for(rows)):
            assert episode.reward == 1.0, episode
        seconds = time.process_time() - started
        await policy.close()
        return seconds

    asyncio.run(play())
    return min(asyncio.run(play()) for _ in range(2)) / COUNT * 1000


def raw(requests: int, url: str) -> float:
    """CPU milliseconds of so many requests by aiohttp alone."""
    body = json.dumps({"model": "x", "messages": [{"role": "user", "content": "Question?"}]}).encode()

    async def ask() -> float:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONCURRENCY)) as session:

            async def rollout() -> None:
                for _ in range(requests):
                    async with session.post(f"{url}/chat/completions", data=body) as response:
                        json.loads(await response.read())

            started = time.process_time()
            await asyncio.gather(*(rollout() for _ in range(COUNT)))
            return time.process_time() - started

    return min(asyncio.run(ask()) for _ in range(2)) / COUNT * 1000


def peers(url: str) -> dict[str, float]:
    """CPU milliseconds of the same two tasks in verifiers, installed beside for this one run."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PEER], check=True)
        script = Path(__file__).with_name("peer_verifiers.py")
        done = subprocess.run([python, script, url, str(COUNT // 2)], check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure() -> Table:
    """CPU milliseconds a rollout, and how many times ours the peer takes."""
    with server() as url:
        mine = {"one": ours(OneTurn, url), "five": ours(FiveTurns, url)}
        floor = {"one": raw(1, url), "five": raw(5, url)}
        theirs = peers(url)
    names = {"one": "one turn", "five": "five turns, four tool calls"}
    rows = [
        [
            names[key],
            f"{floor[key]:.2f} ms",
            f"{mine[key]:.2f} ms",
            f"{mine[key] / floor[key]:.1f}",
            f"{theirs[key]:.2f} ms",
            f"{theirs[key] / mine[key]:.1f}",
        ]
        for key in names
    ]
    return Table(
        "Rollouts over HTTP",
        f"CPU of the client's process, {CONCURRENCY} rollouts at once, a server on loopback that answers at once. "
        "To hold: 1.5 ms for one turn, 6 ms for five, 2.5 times aiohttp alone.",
        ["rollout", "aiohttp alone", "grpo-env-sdk", "times aiohttp", PEER, "times ours"],
        rows,
    )
