"""Steps of Gymnasium environments through the adapter, against the bare environments."""

import time
from collections.abc import Callable
from typing import Any

import gymnasium

from grpo_env_gymnasium import GymnasiumEnv
from tests.benchmarks.table import Table

IDS = ("FrozenLake-v1", "Taxi-v4", "CartPole-v1", "Acrobot-v1")
STEPS = 1000


def measure() -> Table:
    """Steps a second with the same actions and seeds, the best of five."""
    rows = []
    for id in IDS:
        bare, through = _rate(_bare(id)), _rate(_through_the_adapter(id))
        rows.append([id, f"{bare:,.0f}", f"{through:,.0f}", f"{bare / through:.1f}", f"{1e6 / through:,.0f} µs"])
    return Table(
        "Steps through the adapter of Gymnasium",
        "One thread, resets among the steps. The adapter reads the action from text, writes the observation as text, "
        "draws the screen where there is one, and keeps the transcript.",
        ["environment", "bare, steps a second", "as text, steps a second", "times slower", "a step as text"],
        rows,
    )


def _bare(id: str) -> Callable[[int], None]:
    env = gymnasium.make(id)
    env.action_space.seed(0)
    env.reset(seed=0)

    def step(i: int) -> None:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset(seed=i)

    return step


def _through_the_adapter(id: str) -> Callable[[int], None]:
    env = GymnasiumEnv(id, rows=1)
    row: dict[str, Any] = env.build_dataset(None)[0]
    space = gymnasium.make(id).action_space
    space.seed(0)
    env.reset(options=row)

    def step(i: int) -> None:
        _, _, terminated, truncated, _ = env.step(f"ACTION: {space.sample()}")
        if terminated or truncated:
            env.reset(options={**row, "seed": i})

    return step


def _rate(step: Callable[[int], None]) -> float:
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        for i in range(STEPS):
            step(i)
        best = min(best, time.perf_counter() - started)
    return STEPS / best
