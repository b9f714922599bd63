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
from statistics import median
from typing import Any

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
ROUNDS = 5
TASKS: dict[str, type] = {"one": OneTurn, "five": FiveTurns}


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

    return asyncio.run(play()) / COUNT * 1000


def raw(env: type, url: str) -> float:
    """CPU milliseconds of one rollout of the same conversation by aiohttp alone, in a loop written for this task."""
    tools = load(env).tools

    async def ask() -> float:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONCURRENCY)) as session:

            async def rollout(number: int) -> None:
                messages: list[dict[str, Any]] = [{"role": "user", "content": f"Question {number}?"}]
                body = {"model": "x", "messages": messages, **({"tools": tools} if tools else {})}
                while messages[-1]["role"] != "assistant":
                    async with session.post(f"{url}/chat/completions", json=body) as response:
                        messages.append((await response.json())["choices"][0]["message"])
                    messages.extend(_looked_up(call) for call in messages[-1].get("tool_calls", ()))

            started = time.process_time()
            await asyncio.gather(*map(rollout, range(COUNT)))
            return time.process_time() - started

    return asyncio.run(ask()) / COUNT * 1000


def _looked_up(call: dict[str, Any]) -> dict[str, Any]:
    """The message that answers a call of the task's tool."""
    asked = json.loads(call["function"]["arguments"])
    content = json.dumps({"name": asked["name"], "page": str(asked["page"])})
    return {"role": "tool", "tool_call_id": call["id"], "content": content}


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
        ours(OneTurn, url)  # imports, caches and threads are there after a first run
        pairs = {key: [(ours(env, url), raw(env, url)) for _ in range(ROUNDS)] for key, env in TASKS.items()}
        theirs = peers(url)
    names = {"one": "one turn", "five": "five turns, four tool calls"}
    mine = {key: median(own for own, _ in pairs[key]) for key in TASKS}
    rows = [
        [
            names[key],
            f"{median(alone for _, alone in pairs[key]):.2f} ms",
            f"{mine[key]:.2f} ms",
            f"{median(own / alone for own, alone in pairs[key]):.1f}",
            f"{theirs[key]:.2f} ms",
            f"{theirs[key] / mine[key]:.1f}",
        ]
        for key in TASKS
    ]
    return Table(
        "Rollouts over HTTP",
        f"CPU of the client's process, {CONCURRENCY} rollouts at once, a server on loopback that answers at once; "
        f"median of {ROUNDS} runs, each beside aiohttp alone, which sends the same conversations. "
        "To hold: 1.5 ms for one turn, 6 ms for five, 2.5 times aiohttp alone.",
        ["rollout", "aiohttp alone", "grpo-env-sdk", "times aiohttp", PEER, "times ours"],
        rows,
    )
