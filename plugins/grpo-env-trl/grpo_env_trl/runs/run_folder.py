"""The folder of a training: its files, how it is created, and how a training is resumed in it."""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpo_env_sdk import Run
from grpo_env_sdk.ext import RunError, RunWriter, UsageError, create_run, differences, resume_run
from grpo_env_trl.runs.whole_checkpoints import fault_of, in_order, was_ended

_LONGEST = 2**20
"""A line of metrics has no more bytes; what is longer is no line of ours."""


@dataclass(frozen=True)
class RunFolder:
    """The paths of one training."""

    path: Path

    @property
    def config(self) -> Path:
        """The resolved config, which `--config` reads."""
        return self.path / "config.yaml"

    @property
    def metrics(self) -> Path:
        """The logged metrics, one line per step."""
        return self.path / "metrics.jsonl"

    @property
    def model(self) -> Path:
        """The trained weights or adapter, with the tokenizer."""
        return self.path / "model"

    @property
    def report(self) -> Path:
        """The HTML report."""
        return self.path / "report.html"

    def heldout(self, name: str, env: str = "") -> Path:
        """The held-out evaluation `before` or `after`, which is a run too; `env` names one of several environments."""
        return self.path / "heldout" / env / name

    def checkpoints(self) -> dict[int, Path]:
        """Every checkpoint that was written to its end, by its step, the earliest first."""
        return {step: path for step, path in in_order(self.path / "checkpoints").items() if was_ended(path)}

    def newest_whole(self) -> tuple[int, Path | None]:
        """The checkpoint to go on from and its step; 0 and None where there is none."""
        newest_first = reversed(self.checkpoints().items())
        return next(((step, path) for step, path in newest_first if fault_of(path) is None), (0, None))

    def damaged(self, after: int = -1) -> dict[Path, str]:
        """The checkpoints after a step that something happened to since they were written, and what it was."""
        later = [path for step, path in self.checkpoints().items() if step > after]
        return {path: fault for path in later if (fault := fault_of(path))}

    def set_damaged_aside(self) -> dict[str, str]:
        """Rename checkpoints that are damaged; their names and what happened to them."""
        faults = self.damaged()
        for path in faults:
            aside = path.with_name(f"damaged-{path.name}")
            shutil.rmtree(aside, ignore_errors=True)
            path.rename(aside)
        return {path.name: fault for path, fault in faults.items()}

    def drop_torn_checkpoints(self) -> None:
        """Remove checkpoints that were not written to their end, left by a crash or a full disk."""
        whole = set(self.checkpoints().values())
        for path in self.path.glob("checkpoints/checkpoint-*"):
            if path not in whole:
                shutil.rmtree(path, ignore_errors=True)

    def drop_end(self) -> None:
        """Remove what says that the training is finished; its model and report stay until the next end."""
        for path in [*self.path.glob("heldout/**/after"), *self.path.glob("heldout/**/after-greedy")]:
            shutil.rmtree(path)
        (self.path / "summary.json").unlink(missing_ok=True)

    def logged(self) -> Iterator[dict[str, Any]]:
        """Every complete line of the metrics."""
        if not self.metrics.exists():
            return
        if not self.metrics.is_file():
            raise RunError(f"{self.metrics} is not a file.", "Restore or remove it.")
        with self.metrics.open("rb") as file:
            for line in iter(lambda: file.readline(_LONGEST), b""):
                if line.endswith(b"}\n"):
                    yield _entry(line, self.metrics)

    def drop_metrics_after(self, step: int) -> None:
        """Keep only the metrics up to a step: later steps will be trained again."""
        kept = [entry for entry in self.logged() if entry["step"] <= step]
        new = self.metrics.with_name(".metrics.new")
        new.write_text("".join(json.dumps(entry) + "\n" for entry in kept), encoding="utf-8")
        new.replace(self.metrics)


def _entry(line: bytes, path: Path) -> dict[str, Any]:
    """A line of the metrics: its step, and numbers."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict) or not all(isinstance(value, int | float) for value in entry.values()):
        raise RunError(f"{path} has a line that is not an object of numbers: {line[:60]!r}.", "Remove that line.")
    if not isinstance(entry.get("step"), int):
        raise RunError(f"{path} has a line without a step: {line[:60]!r}.", "Remove that line.")
    return entry


def is_write_error(exc: BaseException) -> bool:
    """Whether a file could not be written; safetensors and torch raise their own exceptions for that."""
    if isinstance(exc, RunError):  # of the run of held-out rows; one that cannot be read says what to do
        return " cannot be written: " in exc.message
    if isinstance(exc, OSError):
        return exc.errno is not None and not isinstance(exc, ConnectionError | TimeoutError)
    words = ("(os error ", "PytorchStreamWriter", "iostream error", "inline_container")
    return any(word in str(exc) for word in words)


def create_folder(folder: Path, manifest: Mapping[str, Any], config: str) -> RunWriter:
    """A new run folder with its manifest and config."""
    path = RunFolder(folder).config
    content = config.encode("utf-8", "backslashreplace")
    writer = create_run(folder, {**manifest, "files": {path.name: hashlib.sha256(content).hexdigest()}})
    try:
        path.write_bytes(content)
    except OSError as exc:
        writer.close()
        shutil.rmtree(folder, ignore_errors=True)
        raise RunError(
            f"{str(folder)!r} cannot be written: {exc.strerror}.", "Free some space, and begin again."
        ) from exc
    return writer


def check_unfinished(run: Run, max_steps: int = 0) -> None:
    """Raise where a training is finished, unless `max_steps` are more and the checkpoint of its last step is whole."""
    summary = run.summary() or {}
    if not summary.get("finished"):
        return
    steps, folder = summary.get("steps", 0), RunFolder(run.path)
    can_go_on = folder.newest_whole()[0] == steps > 0
    if can_go_on and max_steps > steps:
        return
    further = f"To train its model further: --model {run.path}"
    here = f", or --resume {run.path} with a --max-steps above {steps}." if can_go_on else ""
    faults = "; ".join(f"{path.name} is damaged: {fault}" for path, fault in folder.damaged(after=steps - 1).items())
    why_not = f", and cannot go on, as {faults}" if faults else ""
    raise UsageError(f"The training in {str(run.path)!r} is finished{why_not}.", further + here)


def check_resumable(run: Run, manifest: Mapping[str, Any], max_steps: int = 0) -> None:
    """Raise where a training is finished, or its environment or settings have changed since it stopped."""
    check_unfinished(run, max_steps)
    list(RunFolder(run.path).logged())  # raises where a line of it is damaged
    before, now = (each.get("reward_funcs", []) for each in (run.manifest, manifest))
    lost = [reward["name"] for reward in before if reward["reference"] is None and reward not in now]
    if lost:
        raise UsageError(
            f"{str(run.path)!r} was trained with rewards that only a program has: {', '.join(lost)}.",
            f"Resume it there: train(..., resume={str(run.path)!r}, reward_funcs=[...]).",
        )
    changed = differences(run.manifest, manifest)
    if before != now:
        changed.append(f"reward_funcs was {_shown(before)} and is {_shown(now)}")
    if changed:
        raise UsageError(
            f"{str(run.path)!r} cannot be resumed: {'; '.join(changed)}.",
            "Undo the change, or start a new run; its --model can be the last checkpoint of this one.",
        )


def _shown(rewards: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{reward['reference'] or reward['name']}={reward['weight']:g}" for reward in rewards) or "none"


def resume_folder(run: Run, manifest: Mapping[str, Any]) -> tuple[RunWriter, Path | None, list[str]]:
    """The folder of a training that stopped, its last whole checkpoint, if there is one, and notes on the others."""
    folder = RunFolder(run.path)
    writer = resume_run(run, manifest)
    folder.drop_torn_checkpoints()
    step, checkpoint = folder.newest_whole()
    then = f"Going on from {checkpoint.name}" if checkpoint else "There is no other, so the training begins again"
    damaged = folder.set_damaged_aside()
    folder.drop_metrics_after(step)
    writer.cut(lambda episode: episode.metrics.get("step", 0) <= step)  # later steps are played, and recorded, again
    notes = [f"{name} is damaged: {fault}. {then}; it is now damaged-{name}." for name, fault in damaged.items()]
    return writer, checkpoint, notes
