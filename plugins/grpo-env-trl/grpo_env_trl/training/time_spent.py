"""Where the time of a training went, and what would save some where one thing took most of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_sdk import Episode
from grpo_env_trl.bridges.batch import Batch, seconds_of

AT_LEAST = 60.0
"""Seconds of a training below which nothing is said."""
MOST = 0.5
"""The share of a training's time from which one thing takes most of it."""
FEW = 16
"""Requests at once below which a GPU has room for more."""
SAVES = {
    "environment": "the environments, while nothing was sampled: make tools, reset and score faster, or play more "
    "episodes at once (--per-device-train-batch-size)",
    "model": "sampling: lower --max-turn-tokens, or use --use-vllm",
    "ranks": "waiting for other processes, whose episodes took longer: lower --max-turn-tokens, or set a deadline "
    "(--limit-call)",
}
"""What takes time, and what saves some."""


class TimeSpent:
    """Sees the batches of a training, and has one line of advice at its end."""

    def __init__(self) -> None:
        self._slowest: Episode | None = None

    def seen(self, batch: Batch) -> None:
        """A batch of episodes ended."""
        if self._slowest is None or seconds_of(batch.slowest) > seconds_of(self._slowest):
            self._slowest = batch.slowest

    def advice(self, history: Sequence[Mapping[str, Any]]) -> str | None:
        """What to change, if the environments, the model or other processes took most of the logged steps' time."""
        whole = _sum(history, "step_time")
        shares = {name: _sum(history, f"time/{name}") / whole for name in ("environment", "model", "ranks") if whole}
        if whole < AT_LEAST or max(shares.values()) < MOST:
            return None
        most = max(shares, key=shares.__getitem__)
        rows = [entry["sampler/rows"] for entry in history if "sampler/rows" in entry]
        found = SAVES[most]
        if most == "model" and rows and sum(rows) / len(rows) < FEW:
            found = (
                f"sampling, with {sum(rows) / len(rows):.0f} requests at once: play more episodes at once "
                "(--per-device-train-batch-size), or lower --max-turn-tokens"
            )
        return f"{shares[most]:.0%} of the time went into {found}. The slowest episode was {self._named()}."

    def _named(self) -> str:
        episode = self._slowest
        if episode is None:
            return "not seen"
        parts = ", ".join(f"{name} {seconds:.1f}" for name, seconds in episode.timings.items() if seconds >= 0.05)
        return f"{episode.env}, row {episode.row_index}: {seconds_of(episode):.1f} seconds ({parts})"


def _sum(history: Sequence[Mapping[str, Any]], name: str) -> float:
    return float(sum(entry.get(name, 0.0) for entry in history))
