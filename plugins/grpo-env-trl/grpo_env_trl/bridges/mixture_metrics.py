"""The metrics of each environment of a batch, over all processes."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk import Episode
from grpo_env_trl import ranks
from grpo_env_trl.tokens.segments import stretches_of

_SHARES = ("stop/", "failed/", "episodes/retried")
"""Metrics that are a share of all episodes: a process that has none of them has 0."""


@dataclass
class EnvTally:
    """Sums over the episodes of one environment, which can be added up over processes."""

    episodes: int = 0
    rewards: list[tuple[int, float]] = field(default_factory=list)
    """The rewards, each with its row."""
    sums: dict[str, tuple[float, int]] = field(default_factory=dict)
    """The other metrics by name: a sum, and over how many."""

    @classmethod
    def of(cls, episodes: Sequence[Episode]) -> "EnvTally":
        """The sums of these episodes."""
        rewards = [(episode.row_index, episode.reward) for episode in episodes if episode.reward is not None]
        sums: dict[str, tuple[float, int]] = {}
        for name, value in (found for episode in episodes for found in _values(episode)):
            total, count = sums.get(name, (0.0, 0))
            sums[name] = (total + value, count + 1)
        return cls(len(episodes), rewards, sums)

    def __add__(self, other: "EnvTally") -> "EnvTally":
        sums = dict(self.sums)
        for name, (total, count) in other.sums.items():
            before, already = sums.get(name, (0.0, 0))
            sums[name] = (before + total, already + count)
        return EnvTally(self.episodes + other.episodes, self.rewards + other.rewards, sums)

    def metrics(self) -> dict[str, float]:
        """The metrics by name; none that no episode has."""
        found = {
            name: total / (self.episodes if name.startswith(_SHARES) else count)
            for name, (total, count) in sorted(self.sums.items())
        }
        return {**self._of_rewards(), **found} if self.episodes else {}

    def of_episodes(self) -> dict[str, float]:
        """The metrics that a batch logs beside the columns of rewards, which are TRL's."""
        logged = ((name, value) for name, value in self.metrics().items() if not name.startswith(("reward", "frac_")))
        return {f"env/{name[8:]}" if name.startswith("metrics/") else name: value for name, value in logged}

    def _of_rewards(self) -> dict[str, float]:
        if not self.rewards:
            return {}
        values = [reward for _, reward in self.rewards]
        mean = math.fsum(values) / len(values)
        groups: defaultdict[int, list[float]] = defaultdict(list)
        for row, reward in self.rewards:
            groups[row].append(reward)
        flat = sum(max(group) - min(group) < 1e-8 for group in groups.values()) / len(groups)
        spread = math.fsum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)
        return {"reward": mean, "reward_std": math.sqrt(spread), "frac_reward_zero_std": flat}


def tally_of_all(episodes: Sequence[Episode]) -> EnvTally:
    """The sums over the batches of all processes; every process must call this for every batch."""
    return sum(ranks.of_all(EnvTally.of(episodes)), EnvTally())


def metrics_of_envs(played: Mapping[str, Sequence[Episode]]) -> dict[str, float]:
    """`env/ID/NAME` for each environment and metric; every process must call this for every batch.

    `played` has the episodes of this process for every environment, also where there are none.
    """
    mine = {name: EnvTally.of(episodes) for name, episodes in played.items()}
    everywhere: list[dict[str, EnvTally]] = ranks.of_all(mine)
    return {
        f"env/{name}/{metric}": value
        for name in played
        for metric, value in sum((one[name] for one in everywhere), EnvTally()).metrics().items()
    }


def _values(episode: Episode) -> Iterator[tuple[str, Any]]:
    """What one episode adds to each metric."""
    yield "episodes/failed", episode.error is not None
    yield "episodes/turns", episode.turns
    yield "episodes/tool_calls", len(episode.tool_calls)
    if episode.views is not None:
        yield "episodes/segments", len(stretches_of(episode))
    yield f"stop/{episode.stop_reason}", 1
    if episode.env_retries:
        yield "episodes/retried", 1
    if episode.error:
        yield f"failed/{episode.error.stage}/{episode.error.type}", 1
    else:
        yield from ((f"rewards/{name}", value) for name, value in episode.rewards.items() if value is not None)
    yield from (("episodes/tool_failures", call["error"] is not None) for call in episode.tool_calls)
    yield from ((f"metrics/{name}", value) for name, value in episode.metrics.items())
