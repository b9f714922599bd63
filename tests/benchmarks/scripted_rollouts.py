"""What the state machine, the threads and the record cost, with a policy that costs nothing."""

import asyncio
import time

from grpo_env_sdk import load
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.policies import Request
from grpo_env_sdk.rollout.driver import Rollout, jobs_for
from grpo_env_sdk.rollout.in_threads import rollouts
from grpo_env_sdk.types import Turn
from tests.benchmarks.environments import FiveTurns, OneTurn
from tests.benchmarks.table import Table


class Script:
    """Answers at once, from memory."""

    name = "script"

    def __init__(self, turns: list[Turn]) -> None:
        self.turns = turns

    async def respond(self, request: Request) -> Turn:
        """The turn that is due."""
        return self.turns[request.turn]


DONE = Turn({"role": "assistant", "content": "done"})
SCRIPTS = {
    OneTurn: Script([DONE]),
    FiveTurns: Script([*(Turn(call_message("look_up", name="x", page=i)) for i in range(4)), DONE]),
}


def cpu_milliseconds(env: type, concurrency: int = 64) -> float:
    """CPU time of one episode, the best of three passes over all rows."""
    loaded = load(env)
    rows = loaded.rows("all")

    async def play() -> None:
        async for episode in rollouts(loaded, rows, Rollout(SCRIPTS[env], concurrency=concurrency), jobs_for(rows)):
            assert episode.reward == 1.0, episode

    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        asyncio.run(play())
        best = min(best, time.process_time() - started)
    return best / len(rows) * 1000


def measure() -> Table:
    """CPU milliseconds an episode."""
    one, five = cpu_milliseconds(OneTurn), cpu_milliseconds(FiveTurns)
    return Table(
        "Rollouts with a scripted policy",
        "CPU of the whole process: state machine, threads, tools, rewards, record. To hold: 1 ms for five turns.",
        ["episode", "CPU"],
        [["one turn", f"{one:.2f} ms"], ["five turns, four tool calls", f"{five:.2f} ms"]],
    )
