"""Finds a model by name: a hub id, a folder, a PEFT adapter, or a run of `grpo-env train`."""

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from grpo_env_sdk import Run, open_run
from grpo_env_sdk.ext import MANIFEST, RunError, UsageError, command_to_continue, did_you_mean, is_running
from grpo_env_trl.models.hub import fetch
from grpo_env_trl.runs.run_folder import RunFolder

CONFIG, ADAPTER = "config.json", "adapter_config.json"
_HUB_ID = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
_OTHER_FORMATS = "transformers reads config.json and *.safetensors; GGUF and other formats need a server (openai:NAME)."


@dataclass(frozen=True)
class ModelSource:
    """Where a model is: the name that the user gave, and the folder or hub id."""

    name: str
    path: str
    adapter: bool = False
    run: Run | None = None
    revision: str | None = None


def find_model(name: str, *, revision: str | None = None) -> ModelSource:
    """Where a model is, without loading it; the hub is asked only where there is no such folder."""
    folder = Path(name).expanduser()
    try:
        is_folder = folder.is_dir()
    except OSError as exc:
        raise UsageError(f"The model {name[:100]!r} cannot be read: {exc.strerror}.", "Give another folder.") from exc
    if is_folder:
        return _in_folder(name, folder)
    if folder.exists():
        raise UsageError(f"{name!r} is a file, not the folder of a model.", "Give the folder that it is in.")
    if not _HUB_ID.fullmatch(name) or folder.parts[0] in ("runs", "~") or (name.count("/") and folder.parent.is_dir()):
        raise UsageError(f"There is no folder {name!r}, which looks like a path.", _near(folder))
    if (Path("runs") / name / MANIFEST).exists():
        raise UsageError(f"There is no folder {name!r}.", f"Did you mean 'runs/{name}'?")
    adapter = fetch(name, ADAPTER, revision) is not None
    if not adapter and fetch(name, CONFIG, revision, needed=True) is None:
        raise UsageError(f"The hub's {name!r} has no {CONFIG}, so it is not a model for transformers.", _OTHER_FORMATS)
    return ModelSource(name, name, adapter, revision=revision)


def find_tokenizer(name: str, *, revision: str | None = None) -> ModelSource:
    """Where the tokenizer of a model is; a folder may contain nothing else."""
    folder = Path(name).expanduser()
    if os.path.isdir(folder) and not any((folder / file).exists() for file in (CONFIG, ADAPTER, MANIFEST)):
        return ModelSource(name, str(folder))
    return find_model(name, revision=revision)


def is_hub_id(name: str) -> bool:
    """Whether a name can only be a model on the hub."""
    return "/" in name and bool(_HUB_ID.fullmatch(name)) and not os.path.exists(name)


def base_of(source: ModelSource) -> ModelSource:
    """The model that an adapter was trained on."""
    path = fetch(source.path, ADAPTER, source.revision)
    assert path is not None
    base = json.loads(path.read_text(encoding="utf-8")).get("base_model_name_or_path")
    if not base:
        raise UsageError(
            f"The adapter {source.name!r} does not say what it was trained on.",
            f"Write base_model_name_or_path into its {ADAPTER}.",
        )
    try:
        return find_model(base)
    except UsageError as exc:
        raise UsageError(f"The adapter {source.name!r} was trained on {base!r}: {exc.message}", exc.hint) from exc


def _in_folder(name: str, folder: Path) -> ModelSource:
    if (folder / MANIFEST).exists() and not (folder / CONFIG).exists():
        return _of_run(name, folder)
    adapter = (folder / ADAPTER).exists()
    if adapter or (folder / CONFIG).exists():
        return ModelSource(name, str(folder), adapter, _run_around(folder))
    held = sorted(path.name for path in folder.iterdir())
    shown = ", ".join(held[:5]) + (f" and {len(held) - 5} more" if len(held) > 5 else "")
    raise UsageError(
        f"{name!r} contains no model: there is no {CONFIG}, only {shown or 'an empty folder'}.", _OTHER_FORMATS
    )


def _of_run(name: str, folder: Path) -> ModelSource:
    try:
        run = open_run(folder)
    except RunError as exc:
        raise UsageError(exc.message, exc.hint) from exc
    if "training" not in run.manifest:
        raise UsageError(
            f"{name!r} is a run of `grpo-env eval`, which has no model.", f"--model replay:{name} replays its episodes."
        )
    kept = RunFolder(folder)
    if kept.model.is_dir():
        return replace(_in_folder(name, kept.model), run=run)
    last = list(kept.checkpoints().values())[-1:]
    again = f"continue the training: {command_to_continue(run)}"
    how, then = ("running", "wait until it ends") if is_running(folder) else ("not finished", again)
    hint = (f"use its last checkpoint, {str(last[0])!r}, or " if last else "") + then
    raise UsageError(f"The run {name!r} has no model yet: its training is {how}.", f"{hint[0].upper()}{hint[1:]}.")


def _run_around(folder: Path) -> Run | None:
    """The training run whose folder a model or checkpoint is in."""
    for parent in folder.resolve().parents[:2]:
        with suppress(RunError):
            run = open_run(parent)
            return run if "training" in run.manifest else None
    return None


def _near(folder: Path) -> str:
    """A folder with a similar name."""
    if not folder.parent.is_dir():
        return f"{str(folder.parent)!r} is not a folder either."
    beside = [str(path) for path in folder.parent.iterdir() if path.is_dir()]
    return did_you_mean(str(folder), beside) or "A model on the hub is named OWNER/NAME."
