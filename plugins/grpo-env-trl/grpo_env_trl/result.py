"""The result of a training."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import heldout_text


@dataclass(frozen=True)
class TrainingRun:
    """The run folder, every logged metric, and the held-out scores before and after."""

    run: Path
    steps: int
    seconds: float
    metrics: list[dict[str, Any]] = field(repr=False)
    heldout: dict[str, dict[str, Any]] | None
    """For several environments their means by weight."""
    environments: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The weight and the held-out results of each environment, by its id."""
    compared: dict[str, dict[str, Any] | None] | None = None
    """The held-out rows that have a reward before and after, `sampled` and `greedy`."""
    finished: bool = True
    failures: str = ""
    """How many episodes of the training failed, and why most of them, in a sentence."""
    rows_of: dict[str, Any] | None = None
    """How many rows were chosen by their pass rates, and from which run."""
    resumed_at: int = 0
    """The step that a resumed training went on from; `seconds` begin there."""

    def __repr__(self) -> str:
        measured = (f", {name} {heldout_text(found)}" for name, found in (self.heldout or {}).items() if found)
        stopped = "" if self.finished else ", not finished"
        failed = f", {self.failures}" if self.failures else ""
        return f"<TrainingRun {self.run}: {self.duration}{stopped}{failed}{''.join(measured)}>"

    @property
    def model(self) -> Path:
        """The folder of the trained model or adapter, with its tokenizer."""
        return self.run / "model"

    @property
    def report(self) -> Path:
        """The HTML report."""
        return self.run / "report.html"

    @property
    def duration(self) -> str:
        """Its steps and their seconds, in words."""
        resumed = f", the last {self.steps - self.resumed_at}" if self.resumed_at else ""
        return f"{self.steps} step{'s' * (self.steps != 1)}{resumed} in {self.seconds:.0f} s"

    @property
    def summary(self) -> dict[str, Any]:
        """What the run keeps of it in `summary.json`."""
        return {
            "run": str(self.run), "steps": self.steps, "seconds": self.seconds, "heldout": self.heldout,
            "heldout_compared": self.compared, "environments": self.environments, "finished": self.finished,
            "rows_of": self.rows_of,
        }  # fmt: skip

    def as_json(self, resume_command: str) -> dict[str, Any]:
        """The object that `train --json` prints: the summary, with the files that are there."""
        files = {"model": self.model, "report": self.report, "metrics": self.run / "metrics.jsonl"}
        rewards = [entry["reward"] for entry in self.metrics if "reward" in entry]
        return {
            **self.summary, **{name: str(path) if path.exists() else None for name, path in files.items()},
            "last_reward": rewards[-1] if rewards else None,
            "resume_command": None if self.finished else resume_command,
        }  # fmt: skip
