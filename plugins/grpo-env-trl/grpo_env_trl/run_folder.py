"""The folder of a training: what it holds, how it is begun, and how a resumed training takes it up again."""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs import Run, RunWriter, create_run, differences, resume_run

CHECKPOINT_IS_WHOLE = "trainer_state.json"
"""The file that transformers writes last into a checkpoint."""


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
        """What the trainer logged, a line a step."""
        return self.path / "metrics.jsonl"

    @property
    def model(self) -> Path:
        """The trained weights or adapter, with the tokenizer."""
        return self.path / "model"

    @property
    def report(self) -> Path:
        """The page that shows how it went."""
        return self.path / "report.html"

    def heldout(self, name: str) -> Path:
        """The held-out evaluation `before` or `after`, a run of its own."""
        return self.path / "heldout" / name

    def checkpoints(self) -> dict[int, Path]:
        """Every whole checkpoint by its step, the earliest first."""
        found = {int(path.name.rpartition("-")[2]): path for path in self.path.glob("checkpoints/checkpoint-*")}
        return {step: path for step, path in sorted(found.items()) if (path / CHECKPOINT_IS_WHOLE).exists()}

    def drop_torn_checkpoints(self) -> None:
        """Remove what a crash or a full disk left of a checkpoint."""
        whole = set(self.checkpoints().values())
        for path in self.path.glob("checkpoints/checkpoint-*"):
            if path not in whole:
                shutil.rmtree(path, ignore_errors=True)

    def logged(self) -> Iterator[dict[str, Any]]:
        """Every whole line of the metrics."""
        if not self.metrics.exists():
            return
        for line in self.metrics.read_bytes().splitlines(keepends=True):
            if line.endswith(b"}\n"):
                yield json.loads(line)

    def forget_after(self, step: int) -> None:
        """Keep the metrics up to a step only, as what came later is trained again."""
        kept = [entry for entry in self.logged() if entry["step"] <= step]
        new = self.metrics.with_name(".metrics.new")
        new.write_text("".join(json.dumps(entry) + "\n" for entry in kept), encoding="utf-8")
        new.replace(self.metrics)


def is_of_writing(exc: BaseException) -> bool:
    """Whether a file could not be written, which safetensors and torch tell by exceptions of their own."""
    return isinstance(exc, OSError) or any(word in str(exc) for word in ("(os error ", "PytorchStreamWriter"))


def begin(folder: Path, manifest: Mapping[str, Any], config: str) -> RunWriter:
    """A new folder with its manifest and config."""
    writer = create_run(folder, manifest)
    RunFolder(folder).config.write_text(config, encoding="utf-8")
    return writer


def check_goes_on(run: Run, manifest: Mapping[str, Any]) -> None:
    """Raise where a training is over, or what it is about has changed since it stopped."""
    if (run.summary() or {}).get("finished"):
        raise UsageError(f"{str(run.path)!r} is trained to its end.", f"To train it further: --model {run.path}")
    if changed := differences(run.manifest, manifest):
        raise UsageError(
            f"{str(run.path)!r} cannot be resumed: {'; '.join(changed)}.",
            "Bring back what changed, or begin anew; its last checkpoint can be the --model of a new run.",
        )


def take_up(run: Run, manifest: Mapping[str, Any]) -> tuple[RunWriter, Path | None]:
    """The folder of a training that stopped, and the checkpoint to go on from, if it came to one."""
    folder = RunFolder(run.path)
    writer = resume_run(run, manifest)
    folder.drop_torn_checkpoints()
    last = list(folder.checkpoints().items())[-1:]
    step, checkpoint = last[0] if last else (0, None)
    folder.forget_after(step)
    return writer, checkpoint
