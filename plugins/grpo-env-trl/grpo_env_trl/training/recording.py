"""What a training writes while it runs: every logged metric, and some of its episodes."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from transformers import TrainerCallback

from grpo_env_sdk import Episode, Run
from grpo_env_sdk.ext import Metrics, RunWriter
from grpo_env_trl import ranks
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.report.formatting import numbers
from grpo_env_trl.runs.run_folder import RunFolder

KEPT_A_BATCH = 16
"""Episodes of a batch, over all processes; of each process at least one."""


class Recorder(TrainerCallback):
    """Writes `metrics.jsonl`, and some episodes every so many steps and where a whole batch failed."""

    def __init__(self, writer: RunWriter | None, every: int, alone: bool = True) -> None:
        """`writer` is None in a process that writes nothing; `alone` is whether no other process plays episodes."""
        self.writer = writer
        self.every = every
        self.alone = alone
        self.tally = Metrics.of_manifest(writer.run.manifest) if writer else Metrics()
        self.history: list[dict[str, Any]] = []
        self._samples: Counter[tuple[str, int]] = Counter()
        self._next: Counter[str] = Counter()
        """The step from which an environment's episodes are kept again."""
        if writer:
            self._take_up(writer.run)
        self._next = ranks.from_first(lambda: self._next)

    def seen(self, batch: Batch) -> None:
        """A batch of episodes ended; every process must call this for every batch, unless one plays alone."""
        if not batch.training or not self.every:
            return
        step = batch.step + 1
        due = {episode.env for episode in batch.episodes if batch.all_failed or step >= self._next[episode.env]}
        most = KEPT_A_BATCH if self.alone else max(1, KEPT_A_BATCH // ranks.started_together())
        mine = [episode for episode in _kept(batch.episodes, most) if episode.env in due]
        for episode in mine if self.alone else chain(*ranks.of_all(mine)):
            if step >= self._next[episode.env]:
                self._next[episode.env] = step + self.every
            if self.writer:
                self._write(self.writer, episode, step)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Keep the folder from the first step on, whether or not it has episodes."""
        if self.writer:
            self.writer.keep()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Keep the metrics that the trainer logs."""
        if not logs or "train_runtime" in logs:
            return
        entry = {"step": state.global_step, **numbers(logs)}
        self.history.append(entry)
        if self.writer:
            self.writer.check_there()
            with RunFolder(self.writer.run.path).metrics.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")

    def _take_up(self, run: Run) -> None:
        """Read the metrics and episodes that the run has already."""
        self.history.extend(RunFolder(run.path).logged())
        for episode in run.episodes():
            self._count(episode)
            self._next[episode.env] = int(episode.metrics.get("step", 0.0)) + self.every

    def _write(self, writer: RunWriter, episode: Episode, step: int) -> None:
        sample = self._samples[episode.env, episode.row_index]
        kept = replace(episode, sample=sample, metrics={**episode.metrics, "step": float(step)})
        writer.append(kept)
        self._count(kept)

    def _count(self, episode: Episode) -> None:
        self._samples[episode.env, episode.row_index] += 1
        self.tally.add(episode)


def _kept(episodes: Sequence[Episode], most: int) -> list[Episode]:
    """At most so many episodes of a batch, the same number of each environment, and at least one."""
    envs = Counter(episode.env for episode in episodes)
    most = max(1, most // len(envs))
    seen: Counter[str] = Counter()
    kept = []
    for episode in episodes:
        seen[episode.env] += 1
        if seen[episode.env] <= most:
            kept.append(episode)
    return kept
