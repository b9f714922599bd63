"""The model of a training as a separate folder: weights or adapter, tokenizer, and a model card."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from grpo_env_sdk import Run, open_run
from grpo_env_sdk.ext import UsageError, command_line, one_line
from grpo_env_trl.export.model_card import model_card
from grpo_env_trl.models.loading import open_model, open_processor, open_tokenizer, sees
from grpo_env_trl.models.source import ModelSource, find_model
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.runs.whole_checkpoints import OURS, TRAINER_STATE, fault_of

_OF_A_MODEL = {".json", ".safetensors", ".jinja", ".model", ".txt", ".py"}
"""The file suffixes of a model and its tokenizer; a checkpoint also has files of the optimizer and the trainer."""


def export(
    run: str | Path, out: str | Path | None = None, *, merge: bool = False, checkpoint: int | None = None
) -> Path:
    """A new folder with the model of a training; an adapter stays one, or with `merge` becomes a whole model.

    Args:
        out: `export` in the run folder unless given.
        checkpoint: The step of a checkpoint; the end of the training unless given.
    """
    found = open_run(run)
    found.check_files()
    source = _source(found, checkpoint)
    if merge and not source.adapter:
        raise UsageError(
            f"{source.path!r} is a whole model without an adapter, so there is nothing to merge.", "Remove --merge."
        )
    folder = found.path / "export" if out is None else Path(out)
    if folder.exists():
        raise UsageError(f"{str(folder)!r} exists already.", "Choose another folder: --out DIR.")
    with _all_or_nothing(folder) as new:
        if merge:
            save_merged(source, new)
        else:
            _copy(source, new)
        where = folder.name if folder.is_absolute() else str(folder)  # others read the card
        card = model_card(found, adapter=source.adapter and not merge, checkpoint=checkpoint, where=where)
        (new / "README.md").write_text(card, encoding="utf-8")
    return folder


def _source(run: Run, checkpoint: int | None) -> ModelSource:
    name, folder = str(run.path), RunFolder(run.path)
    if checkpoint is None or "training" not in run.manifest:
        try:
            return find_model(name)  # raises with the reason where a run has no model
        except UsageError as exc:
            if hint := _newest(folder):
                raise UsageError(exc.message, hint) from exc
            raise
    kept = folder.checkpoints()
    if checkpoint not in kept:
        steps = ", ".join(map(str, kept)) or "none"
        raise UsageError(f"{name!r} has no checkpoint of step {checkpoint}.", f"It has: {steps}.")
    if fault := fault_of(kept[checkpoint]):
        raise UsageError(f"{str(kept[checkpoint])!r} is damaged: {fault}.", _newest(folder) or "No other one is whole.")
    return replace(find_model(str(kept[checkpoint])), run=run)


def _newest(folder: RunFolder) -> str:
    step, path = folder.newest_whole()
    command = command_line("export", folder.path, "--checkpoint", step)
    return f"Export its newest whole checkpoint: {command}" if path else ""


def _copy(source: ModelSource, folder: Path) -> None:
    for path in Path(source.path).iterdir():
        if path.suffix in _OF_A_MODEL and path.name != TRAINER_STATE and not path.name.startswith(OURS):
            shutil.copy(path, folder)
    if not (folder / "tokenizer_config.json").exists():
        open_tokenizer(source).save_pretrained(folder)


def save_merged(source: ModelSource, folder: Path) -> None:
    """The base model with the adapter merged into its weights, in the precision of the base model."""
    opened = open_model(source, dtype="auto", device="cpu")
    opened.model.merge_and_unload().save_pretrained(folder)
    opened.tokenizer.save_pretrained(folder)
    if sees(opened.model.config):
        open_processor(source).save_pretrained(folder)


@contextmanager
def _all_or_nothing(folder: Path) -> Iterator[Path]:
    """A temporary folder that is renamed to `folder` at the end, or deleted if anything fails."""
    from safetensors import SafetensorError

    new = folder.with_name(f".{folder.name}.new")
    try:
        shutil.rmtree(new, ignore_errors=True)  # left by a crash
        new.mkdir(parents=True)
        yield new
        new.rename(folder)
    except (OSError, SafetensorError) as exc:  # safetensors has an error of its own for a full disk
        raise UsageError(
            f"{str(folder)!r} cannot be written: {one_line(exc).rstrip('.')}.",
            "Free some space, or choose another folder: --out DIR.",
        ) from exc
    finally:
        shutil.rmtree(new, ignore_errors=True)
