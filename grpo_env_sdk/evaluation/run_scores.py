"""What one run of a comparison scored: the rewards of each row, and how many of its episodes have none."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from grpo_env_sdk.evaluation.columns import check_column, cluster_in
from grpo_env_sdk.evaluation.stats import Mean, mean_of
from grpo_env_sdk.evaluation.written_ranges import read_range
from grpo_env_sdk.runs.counted_episodes import says_what_is_planned
from grpo_env_sdk.runs.reading import Run

ByRow = Mapping[int, list[float]]


@dataclass(frozen=True, slots=True)
class RunCounts:
    """How much of a run was played and scored, and its own mean over every row with a reward."""

    episodes: int
    scored: int
    unplayed: int
    """How many of the episodes asked for have no record."""
    rows: int
    scored_rows: int
    reward: Mean

    def as_json(self) -> dict[str, Any]:
        """As `diff --json` prints them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RunScores:
    """The rewards of the scored samples of each row, and the episodes without one."""

    rewards: ByRow
    named: Mapping[str, ByRow]
    unscored: Counter[int]
    """Episodes without a reward, by row."""
    counts: RunCounts
    cluster_of: Mapping[int, str]
    """Which rows belong together, where a column says so."""

    @property
    def played(self) -> set[int]:
        """Every row with an episode."""
        return {*self.rewards, *self.unscored}

    def needed(self, rows: ByRow) -> tuple[int, int]:
        """Of the episodes that a comparison on these rows needs, how many have a reward, and how many there are.

        Nobody knows the rows of those that were not played.
        """
        scored = sum(len(self.rewards.get(row, ())) for row in rows)
        return scored, scored + sum(self.unscored[row] for row in rows) + self.counts.unplayed


def scores_of(run: Run, cluster: str | None = None) -> RunScores:
    """What a run scored; `cluster` is a column whose value rows share that belong together."""
    rewards: dict[int, list[float]] = defaultdict(list)
    named: dict[str, dict[int, list[float]]] = {}
    unscored: Counter[int] = Counter()
    columns: dict[str, None] = {}
    cluster_of: dict[int, str] = {}
    for episode in run.episodes():
        columns |= dict.fromkeys(episode.row)
        if (shared := cluster_in(episode.row, cluster)) is not None:
            cluster_of[episode.row_index] = shared
        if episode.reward is None:
            unscored[episode.row_index] += 1
            continue
        rewards[episode.row_index].append(episode.reward)
        for name, value in episode.rewards.items():
            if value is not None:
                named.setdefault(name, {}).setdefault(episode.row_index, []).append(value)
    if columns:
        check_column("--cluster", cluster, columns)
    scored = sum(map(len, rewards.values()))
    episodes = scored + unscored.total()
    mean = mean_of(rewards, read_range(run.manifest.get("reward_range")), cluster_of=cluster_of)
    rows = len({*rewards, *unscored})
    unplayed = max(0, _asked(run.manifest) - episodes)
    counts = RunCounts(episodes, scored, unplayed, rows, len(rewards), mean)
    return RunScores(rewards, named, unscored, counts, cluster_of)


def _asked(manifest: Mapping[str, Any]) -> int:
    """How many episodes were asked for; 0 where the manifest does not say, as that of a training."""
    return int(manifest.get("rows", 0) * manifest.get("samples", 1)) if says_what_is_planned(manifest) else 0
