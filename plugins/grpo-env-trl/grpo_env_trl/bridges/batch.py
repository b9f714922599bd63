"""The episodes of one batch, and the metrics that are logged for it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from grpo_env_sdk import Episode
from grpo_env_trl.tokens.segments import stretches_of
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

    def metrics(self) -> dict[str, float]:
        """The metrics by name; `docs/metrics.md` explains each."""
        episodes, count = self.episodes, len(self.episodes)
        figures = self.figures or Figures()
        calls = [call for episode in episodes for call in episode.tool_calls]
        named = {
            "episodes/failed": sum(episode.error is not None for episode in episodes) / count,
            "episodes/turns": sum(episode.turns for episode in episodes) / count,
            "episodes/tool_calls": len(calls) / count,
            "time/environment": self.wall - figures.busy - figures.ranks,
            "time/model": figures.busy,
            "time/slowest_episode": seconds_of(self.slowest),
            **(self.figures.metrics() if self.figures else {}),
            **{f"stop/{reason}": n / count for reason, n in _counted(e.stop_reason for e in episodes).items()},
            **{f"failed/{cause}": n / count for cause, n in _counted(_causes(episodes)).items()},
            **{f"env/{name}": value for name, value in _means([episode.metrics for episode in episodes]).items()},
        }
        if calls:
            named["episodes/tool_failures"] = sum(call["error"] is not None for call in calls) / len(calls)
        if any(episode.views is not None for episode in episodes):
            named["episodes/segments"] = sum(len(stretches_of(episode)) for episode in episodes) / count
        if retried := sum(bool(episode.env_retries) for episode in episodes):
            named["episodes/retried"] = retried / count
        return {**named, **self.extra}


def seconds_of(episode: Episode) -> float:
    """How long an episode took: its turns, its environment and its score."""
    return sum(episode.timings.values())


def part_means(episodes: Sequence[Episode]) -> dict[str, float]:
    """The mean of each named reward over the episodes in which it did not abstain."""
    return _means([episode.rewards for episode in episodes])


def _causes(episodes: Sequence[Episode]) -> list[str]:
    return [f"{episode.error.stage}/{episode.error.type}" for episode in episodes if episode.error]


def _counted(names: object) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))  # type: ignore[call-overload]  # an iterable of names


def _means(found: Sequence[dict[str, float]] | Sequence[dict[str, float | None]]) -> dict[str, float]:
    sums: dict[str, list[float]] = {}
    for numbers in found:
        for name, value in numbers.items():
            if value is not None:
                sums.setdefault(name, []).append(value)
    return {name: sum(values) / len(values) for name, values in sums.items()}
