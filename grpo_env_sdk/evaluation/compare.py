"""A comparison of two runs, row by row."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.comparable import Comparable, run_of
from grpo_env_sdk.evaluation.run_scores import ByRow, RunCounts, scores_of
from grpo_env_sdk.evaluation.stats import ROUNDING, Mean, cluster_sums, mean_of, range_that_holds, sign_test
from grpo_env_sdk.evaluation.written_ranges import read_range
from grpo_env_sdk.flags_as_arguments import naming_arguments
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.runs.differences import differences
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.types import Range


@dataclass(frozen=True, slots=True)
class RowChange:
    """The mean reward of one row in both runs."""

    row_index: int
    before: float
    after: float

    @property
    def change(self) -> float:
        """The change of the reward; rounding errors count as 0."""
        change = self.after - self.before
        return 0.0 if abs(change) < ROUNDING else change


@dataclass(frozen=True, slots=True)
class RewardChange:
    """The mean of one named reward in both runs, over the rows that have it in both."""

    before: Mean
    after: Mean
    difference: Mean


@dataclass(frozen=True, slots=True)
class Clusters:
    """The column whose values say which rows belong together, and how many clusters of rows there are."""

    column: str
    n: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference between two runs."""

    rows: list[RowChange]
    before: Mean
    after: Mean
    difference: Mean
    p_value: float | None
    """Of the sign test over rows, or over clusters of them where there are some."""
    settings: list[str]
    only_before: int
    only_after: int
    rewards: dict[str, RewardChange]
    """The named rewards, where there are several; those that only one run has are means without a difference."""
    in_neither: int
    """How many rows were played, and have a reward in neither run."""
    runs: tuple[RunCounts, RunCounts]
    unequal_samples: int
    """How many of the rows have more scored samples in one run than in the other."""
    needed: tuple[int, int]
    """Of the episodes of the second run on the rows that the first has a reward for: how many are scored, of how many.

    Those that were not played yet are among them.
    """
    clusters: Clusters | None = None
    """What the intervals are over in place of rows."""
    unlike_clusters: tuple[str, ...] = ()
    """The columns that the runs were evaluated with where these differ, so that the intervals are over rows."""

    def as_json(self, most: int = 10) -> dict[str, Any]:
        """The comparison as `diff --json` prints it, with the rows that changed most."""
        changed = sorted((row for row in self.rows if row.change), key=lambda row: -abs(row.change))
        return {
            "rows": len(self.rows),
            "only_before": self.only_before,
            "only_after": self.only_after,
            "in_neither": self.in_neither,
            "unequal_samples": self.unequal_samples,
            "runs": {"before": self.runs[0].as_json(), "after": self.runs[1].as_json()},
            "before": self.before.as_json(),
            "after": self.after.as_json(),
            "difference": self.difference.as_json(),
            "rewards": {name: asdict(change) for name, change in self.rewards.items()},
            "rose": sum(row.change > 0 for row in self.rows),
            "fell": sum(row.change < 0 for row in self.rows),
            "sign_test_p": self.p_value,
            "settings": self.settings,
            "changed_most": [asdict(row) | {"change": row.change} for row in changed[:most]],
            **({"cluster": asdict(self.clusters)} if self.clusters else {}),
        }


@naming_arguments({"cluster": "cluster"}.get)
def compare(before: Comparable, after: Comparable, cluster: str | None = None) -> Comparison:
    """Compare two runs row by row; an error if they have other environments or rows.

    Each is a run, its path, or what `evaluate` returned. `cluster` is a column: rows with the same value in it count as
    one for the intervals. Without it, the column counts that the runs were evaluated with.
    """
    return compare_runs(run_of(before), run_of(after), cluster)


def compare_runs(one: Run, other: Run, cluster: str | None = None) -> Comparison:
    """The same for two runs."""
    for run in (one, other):
        if len(run.environments) > 1:
            raise UsageError(
                f"{run.path} has episodes of several environments: {', '.join(run.environments)}.",
                f"Compare those of one: the folders below {run.path / 'heldout'} are runs.",
            )
    envs, rows_of, splits = (
        [run.manifest.get(key) for run in (one, other)] for key in ("env", "dataset_fingerprint", "split")
    )
    unlike = ""
    if envs[0] != envs[1]:
        unlike = f"their environments differ ({envs[0]} and {envs[1]})"
    elif rows_of[0] != rows_of[1] and (changed := _changed_row(one, other)) is not None:
        unlike = f"row {changed} has another content in each"
    if unlike:
        raise UsageError(
            f"{one.path} and {other.path} cannot be compared: {unlike}.",
            "Compare runs of one environment on the same rows.",
        )
    evaluated = _cluster_columns(one, other)
    if cluster is None and len(evaluated) == 1:
        cluster = evaluated[0]
    first, second = scores_of(one, cluster), scores_of(other, cluster)
    before, after = first.rewards, second.rewards
    rows = _row_changes(before, after)
    if not rows:
        told = f" (split {splits[0]} and split {splits[1]})" if splits[0] != splits[1] else ""
        raise UsageError(f"{one.path} and {other.path} have no scored row in common{told}.", "Evaluate the same rows.")
    cluster_of = {**first.cluster_of, **second.cluster_of}
    changes = cluster_sums({row.row_index: row.change for row in rows}, cluster_of)
    range_before, range_after = (read_range(run.manifest.get("reward_range")) for run in (one, other))
    total = _reward_change(before, after, range_before, range_after, cluster_of)
    return Comparison(
        rows,
        total.before,
        total.after,
        total.difference,
        sign_test(0.0 if abs(change) < ROUNDING else change for change in changes),
        [
            *_other_package(one, other),
            *_other_settings(one, other),
            *_other_requirements(one, other),
            *_other_tools(one, other),
            *_forced(one),
            *_forced(other),
        ],
        len(before.keys() - after.keys()),
        len(after.keys() - before.keys()),
        _named_changes(first.named, second.named, one, other, cluster_of),
        len((first.played | second.played) - before.keys() - after.keys()),
        (first.counts, second.counts),
        sum(len(before[row.row_index]) != len(after[row.row_index]) for row in rows),
        second.needed(before),
        Clusters(cluster, len(changes)) if cluster is not None else None,
        evaluated if cluster is None else (),
    )


def _cluster_columns(one: Run, other: Run) -> tuple[str, ...]:
    """The columns that the runs were evaluated with, each once."""
    named = (run.manifest.get("plan", {}).get("cluster") for run in (one, other))
    return tuple(dict.fromkeys(name for name in named if name is not None))


def _row_changes(before: ByRow, after: ByRow) -> list[RowChange]:
    shared = sorted(before.keys() & after.keys())
    return [RowChange(row, _mean(before[row]), _mean(after[row])) for row in shared]


def _reward_change(
    before: ByRow, after: ByRow, range_before: Range, range_after: Range, cluster_of: Mapping[int, str]
) -> RewardChange:
    rows = _row_changes(before, after)
    before, after = ({row.row_index: run[row.row_index] for row in rows} for run in (before, after))
    (least_before, most_before), (least_after, most_after) = (
        range_that_holds(chain(*run.values()), bounds) for run, bounds in ((before, range_before), (after, range_after))
    )
    return RewardChange(
        mean_of(before, range_before, cluster_of=cluster_of),
        mean_of(after, range_after, cluster_of=cluster_of),
        mean_of(
            {row.row_index: [row.change] for row in rows},
            (least_after - most_before, most_after - least_before),
            cluster_of=cluster_of,
        ),
    )


def _named_changes(
    before: Mapping[str, ByRow], after: Mapping[str, ByRow], one: Run, other: Run, cluster_of: Mapping[int, str]
) -> dict[str, RewardChange]:
    names = list(dict.fromkeys([*before, *after]))
    if len(names) < 2:
        return {}
    return {
        name: _named_change(
            before.get(name), after.get(name), _part_range(one, name), _part_range(other, name), cluster_of
        )
        for name in names
    }


def _named_change(
    before: ByRow | None, after: ByRow | None, range_before: Range, range_after: Range, cluster_of: Mapping[int, str]
) -> RewardChange:
    if before is None or after is None:
        return RewardChange(
            mean_of(before or {}, range_before, cluster_of=cluster_of),
            mean_of(after or {}, range_after, cluster_of=cluster_of),
            Mean(None),
        )
    return _reward_change(before, after, range_before, range_after, cluster_of)


def _part_range(run: Run, name: str) -> Range:
    """The range of a named reward; any, in a run from before these were kept."""
    return read_range(run.manifest.get("part_ranges", {}).get(name))


def _other_settings(one: Run, other: Run) -> list[str]:
    """What the manifests say; where other rows were asked for, other rows are no change of the environment."""
    before, after = (run.manifest.get("plan", {}).get("rows") for run in (one, other))
    if before == after and one.manifest.get("split") == other.manifest.get("split"):
        return differences(one.manifest, other.manifest)
    same = {key: one.manifest.get(key) for key in ("rows", "dataset_fingerprint")}
    asked = " and ".join("all" if rows is None else str(rows) for rows in (before, after))
    told = [f"rows asked for ({asked})"] if before != after else []
    return [*told, *differences(one.manifest, other.manifest | same)]


def _forced(run: Run) -> list[str]:
    """The changes that a run was resumed in spite of, with --force."""
    return [
        f"{run.path} was resumed although {'; '.join(item['differences'])}" for item in run.manifest.get("forced", ())
    ]


def _other_package(one: Run, other: Run) -> list[str]:
    """That the same id was that of another package."""
    before, after = one.manifest.get("distribution"), other.manifest.get("distribution")
    return [f"the package was {before} and is {after}"] if before and after and before != after else []


def _other_requirements(one: Run, other: Run) -> list[str]:
    """Which packages that the environment's own package requires had another version; nothing where a run has none."""
    before, after = (run.manifest.get("requirements") for run in (one, other))
    if before is None or after is None:
        return []
    return [
        f"the required package {name} was {before.get(name, 'not there')} and is {after.get(name, 'not there')}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]


def _other_tools(one: Run, other: Run) -> list[str]:
    """Which rows had other tools in the second run; nothing where a run does not say."""
    before, after = _tools_by_row(one), _tools_by_row(other)
    changed = [row for row in sorted(before.keys() & after.keys()) if before[row] != after[row]]
    return [f"the tools of {counted(len(changed), 'row')}, such as row {changed[0]}"] if changed else []


def _tools_by_row(run: Run) -> dict[int, Any]:
    """The tools of each row that did not fail: its own, or those of the run."""
    shared = run.manifest.get("tools")
    played = (episode for episode in run.episodes() if episode.error is None)
    found = {episode.row_index: shared if episode.tools is None else episode.tools for episode in played}
    return {row: tools for row, tools in found.items() if tools is not None}


def _changed_row(one: Run, other: Run) -> int | None:
    """The first row that both runs have, and with another content."""
    rows = {episode.row_index: episode.row for episode in one.episodes()}
    return next((e.row_index for e in other.episodes() if rows.get(e.row_index, e.row) != e.row), None)


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)
