"""Items of reasoning-gym scored bare, and as rows through the adapter."""

import time
from collections.abc import Callable
from typing import Any

import reasoning_gym

from grpo_env_sdk import make
from grpo_env_sdk.data.rows import build_rows
from tests.benchmarks.table import Table

NAMES = ("chain_sum", "letter_counting", "sudoku", "countdown")
ITEMS = 50


def measure() -> Table:
    """Right answers scored, the best of five."""
    rows = []
    for name in NAMES:
        bare, through = _bare(name), _through_the_adapter(name)
        rows.append([name, f"{bare:,.0f} µs", f"{through:,.0f} µs", f"{through - bare:,.0f} µs"])
    return Table(
        "Scoring through the adapter of reasoning-gym",
        "One right answer scored. The adapter finds it in the reply, makes the item again from its row, and keeps "
        "the process's own chance apart.",
        ["dataset", "bare", "as a row of rg/NAME-v1", "more"],
        rows,
    )


def _bare(name: str) -> float:
    dataset = reasoning_gym.create_dataset(name, seed=0, size=ITEMS)
    items = [dataset[index] for index in range(ITEMS)]
    return _best(lambda i: dataset.score_answer(items[i]["answer"], items[i]))


def _through_the_adapter(name: str) -> float:
    env = make(f"rg/{name}-v1", size=ITEMS)
    rows = list(build_rows(env, None, "all"))
    said = [[{"role": "assistant", "content": env.solve(row)}] for row in rows]
    return _best(lambda i: env.score_episode(None, None, said[i % len(said)], **rows[i % len(rows)]))


def _best(score: Callable[[int], Any]) -> float:
    """Microseconds for one."""
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        for i in range(ITEMS):
            score(i)
        best = min(best, time.perf_counter() - started)
    return best / ITEMS * 1e6
