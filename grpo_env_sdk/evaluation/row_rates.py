"""How a policy did on each row of a run, from which the rows that teach it something are chosen."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.comparable import Comparable, run_of
from grpo_env_sdk.evaluation.run_scores import scores_of
from grpo_env_sdk.evaluation.stats import ROUNDING, least_passing
from grpo_env_sdk.evaluation.written_ranges import read_range
from grpo_env_sdk.images.run_images import image_reference
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.runs.continuing import command_to_continue
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.runs.record_line import as_recorded
from grpo_env_sdk.types import Row, canonical_json


@dataclass(frozen=True, slots=True)
class RowRates:
    """The pass rate of each row of a run, or its mean reward where no reward is a pass."""

    run: Run
    by_row: Mapping[int, float]
    """Of the rows with a scored sample, by their index in the whole dataset."""
    are_pass_rates: bool
    """Whether they are shares of samples that passed, as pass@k counts them; otherwise they are mean rewards."""
    unscored: frozenset[int]
    """Rows without a scored sample."""
    samples: int
    """The most scored samples of a row."""

    @property
    def name(self) -> str:
        """What they are, in words."""
        return "pass rate" if self.are_pass_rates else "mean reward"

    def within(self, low: float, high: float) -> list[int]:
        """The rows from `low` to `high`, both included."""
        return [row for row, rate in self.by_row.items() if low - ROUNDING <= rate <= high + ROUNDING]

    def check_contents(self, rows: Rows) -> None:
        """Raise where one of these rows was scored with another content than it has today."""
        unseen = self.by_row.keys() & {*rows.indices}
        for episode in self.run.episodes():
            index = episode.row_index
            if index not in unseen:
                continue
            unseen.remove(index)
            if not _is_same(rows.row(index), episode.row):
                raise UsageError(
                    f"Row {index} has another content than in {self.run.path}.",
                    "The rows have changed since: evaluate them again.",
                )


def row_rates(run: Comparable) -> RowRates:
    """How the policy of a finished evaluation did on each row."""
    opened = run_of(run)
    if "training" in opened.manifest:
        raise UsageError(
            f"{opened.path} is a training, whose model changes from sample to sample.",
            "Take a run of `grpo-env eval`.",
        )
    scores = scores_of(opened)
    if unplayed := scores.counts.unplayed:
        raise UsageError(
            f"{opened.path} is not finished: {counted(unplayed, 'episode')} not played yet.",
            f"Finish it: {command_to_continue(opened)}",
        )
    if not scores.rewards:
        raise UsageError(f"{opened.path} has no episode with a reward.", f"`grpo-env view {opened.path}` shows why.")
    least = least_passing(
        read_range(opened.manifest.get("reward_range")), opened.manifest.get("plan", {}).get("pass_at")
    )
    return RowRates(
        opened,
        {
            row: math.fsum(rewards if least is None else (reward >= least for reward in rewards)) / len(rewards)
            for row, rewards in sorted(scores.rewards.items())
        },
        least is not None,
        frozenset(scores.unscored.keys() - scores.rewards.keys()),
        max(map(len, scores.rewards.values())),
    )


def _is_same(today: Row, content: Row) -> bool:
    """Whether a row is what a record has of it."""
    try:
        return canonical_json(as_recorded(today, image_reference)) == canonical_json(content)
    except (TypeError, ValueError, RecursionError):  # it could not be recorded
        return False
