"""`reset` and `step` of `hotel-v1` against a bare Gymnasium environment of text."""

import time
from collections.abc import Callable
from typing import Any

import gymnasium

from grpo_env_sdk import call_message, make
from grpo_env_sdk.data.rows import build_rows
from tests.benchmarks.table import Table

EPISODES = 1000


class BareText(gymnasium.Env[str, str]):
    """What nobody could do with less: text in, text out."""

    observation_space = gymnasium.spaces.Text(100)
    action_space = gymnasium.spaces.Text(100)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:
        """Begin."""
        super().reset(seed=seed)
        self.turn = 0
        return "begin", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Go on for three turns."""
        self.turn += 1
        return "on", 0.0, self.turn == 3, False, {}


def measure() -> Table:
    """Episodes of three steps a second, the best of five."""
    hotel = make("hotel-v1")
    rows = list(build_rows(hotel, None, "test")[:100])
    actions = [call_message("search_hotels", city="Bergen"), call_message("hotel_details", hotel="H12"), "No."]
    bare = BareText()

    def play_bare(i: int) -> None:
        bare.reset(seed=i)
        for _ in range(3):
            bare.step("x")

    def play_hotel(i: int) -> None:
        hotel.reset(seed=i, options=rows[i % 100])
        for action in actions:
            hotel.step(action)

    rates = {"bare Gymnasium, no task": _rate(play_bare), "hotel-v1: two tool calls, five rewards": _rate(play_hotel)}
    found = [[name, f"{rate:,.0f}", f"{1e6 / rate:,.0f} µs"] for name, rate in rates.items()]
    return Table(
        "Steps",
        "One reset and three steps, in one thread; `hotel-v1` draws its world, checks two calls and scores.",
        ["environment", "episodes a second", "an episode"],
        found,
    )


def _rate(play: Callable[[int], None]) -> float:
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        for i in range(EPISODES):
            play(i)
        best = min(best, time.perf_counter() - started)
    return EPISODES / best
