"""`Evaluation`: what a call of `evaluate` returns."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.flat_table import table_of, table_of_run
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.runs.reading import open_run
from grpo_env_sdk.types import Episode


@dataclass
class Evaluation:
    """The results of an evaluation: `summary` as plain data, `episodes`, and `run`, the folder where they are kept."""

    env: str
    policy: str
    tally: Metrics
    run: Path | None = None
    interrupted: bool = False
    kept: Sequence[Episode] | None = None
    """The episodes, where they are kept in memory instead of a run."""
    folder: Path | None = None
    """The whole path of `run`, which may be relative to another working directory by now."""
    split: str | None = None
    manifest: Mapping[str, Any] | None = None
    """What was measured, where the episodes are kept in memory: what the manifest of a run would say."""

    @cached_property
    def episodes(self) -> list[Episode]:
        """Every episode, in the order of rows and of samples; read from the run where there is one."""
        if self.run is None and self.kept is None:
            raise UsageError("This evaluation kept no episodes.", "Give it a folder to keep them in.")
        found = self.kept if self.run is None else open_run(self.folder or self.run).episodes(images=True)
        return sorted(found or (), key=lambda episode: (episode.row_index, episode.sample))

    def table(self) -> list[dict[str, Any]]:
        """The episodes as a flat table, a dict of plain values for each: for pandas, Arrow or a warehouse."""
        if self.run is not None:
            return [row | {"run": str(self.run)} for row in table_of_run(open_run(self.folder or self.run))]
        about = {"policy": self.policy, "split": self.split, **(self.manifest or {})}
        return table_of(self.episodes, about, run=None)

    @property
    def summary(self) -> dict[str, Any]:
        """The metrics, as `eval --json` prints them."""
        return {"env": self.env, "policy": self.policy, "run": str(self.run) if self.run else None} | (
            self.tally.summary()
        )

    def __repr__(self) -> str:
        kept = f", run {self.run}" if self.run else ""
        failed = "".join(f", {count} failed: {cause}" for cause, count in self.tally.errors.items())
        count = self.tally.episodes
        return f"<{self.policy} on {self.env}: reward {self.tally.reward}, {count} episodes{failed}{kept}>"

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        summary = self.summary
        rows = [
            ("reward", str(self.tally.reward)),
            ("episodes", f"{summary['episodes']} ({summary['scored']} scored)"),
        ]
        rows += [(name, f"{part['mean']:z.3f}") for name, part in summary["rewards"].items()]
        few = rows_of_passes(summary)
        rows += [(f"pass@{k}", f"{value:.3f}{few.get(k, '')}") for k, value in summary["pass_at_k"].items()]
        groups = summary.get("by", {"groups": {}})["groups"]
        rows += [
            (f"{self.tally.by} = {name}", f"{part['mean']:z.3f} ({part['n']} rows)") for name, part in groups.items()
        ]
        examples = summary["error_examples"]
        rows += [(f"failed: {cause}", f"{count}, e.g. {examples[cause]}") for cause, count in summary["errors"].items()]
        rows += [(f"ended: {name}", str(count)) for name, count in summary["stop_reasons"].items()]
        rows += [("cost", f"{summary['cost']:.4f}")] if summary.get("cost") is not None else []
        rows += [("run", summary["run"])] if self.run else []
        cells = "".join(f"<tr><td>{html.escape(a)}</td><td>{html.escape(b)}</td></tr>" for a, b in rows)
        return f"<table><caption>{html.escape(self.policy)} on {html.escape(self.env)}</caption>{cells}</table>"


def rows_of_passes(summary: Mapping[str, Any]) -> dict[str, str]:
    """For each k of pass@k ` over 9 of 10 rows`; nothing where every row has k scored samples."""
    rows = summary["rows"]
    found = summary.get("pass_rows", {})  # which older runs have not
    return {k: f" over {count} of {counted(rows, 'row')}" if count < rows else "" for k, count in found.items()}
