"""The episodes of one batch, and the metrics that are logged for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from grpo_env_sdk import Episode
from grpo_env_trl.bridges.mixture_metrics import EnvTally
from grpo_env_trl.writers.figures import Figures


@dataclass(frozen=True, slots=True)
class Batch:
    """The episodes of one batch, and where its time went."""

    episodes: list[Episode]
    training: bool
    step: int = 0
    figures: Figures | None = None
    """What its writer did; None where TRL sampled the turns by itself."""
    wall: float = 0.0
    """Seconds from its first episode's beginning to its last one's end."""
    extra: dict[str, float] = field(default_factory=dict)

    @property
    def all_failed(self) -> bool:
        """Whether no episode was scored, so that nothing can be learned from it."""
        return all(episode.reward is None for episode in self.episodes)

    @property
    def slowest(self) -> Episode:
        """The episode that took the longest."""
        return max(self.episodes, key=seconds_of)

    def metrics(self, everywhere: EnvTally | None = None) -> dict[str, float]:
        """The metrics by name, of the episodes of this process or of all; `docs/metrics.md` explains each."""
        figures = self.figures or Figures()
        return {
            "time/environment": self.wall - figures.busy - figures.ranks,
            "time/model": figures.busy,
            "time/slowest_episode": seconds_of(self.slowest),
            **(self.figures.metrics() if self.figures else {}),
            **(everywhere or EnvTally.of(self.episodes)).of_episodes(),
            **self.extra,
        }


def seconds_of(episode: Episode) -> float:
    """How long an episode took: its turns, its environment and its score."""
    return sum(episode.timings.values())


def part_means(episodes: Sequence[Episode]) -> dict[str, float]:
    """The mean of each named reward over the episodes in which it did not abstain."""
    sums: dict[str, list[float]] = {}
    for episode in episodes:
        for name, value in episode.rewards.items():
            if value is not None:
                sums.setdefault(name, []).append(value)
    return {name: sum(values) / len(values) for name, values in sums.items()}
