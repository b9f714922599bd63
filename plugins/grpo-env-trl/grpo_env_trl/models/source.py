"""Where the model of a name is: a hub id, a folder, a PEFT adapter, or a run of `grpo-env train`."""

import json
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from grpo_env_sdk.errors import UsageError, did_you_mean
from grpo_env_sdk.runs import MANIFEST, Run, RunError, open_run
from grpo_env_trl.models.hub import fetch
from grpo_env_trl.run_folder import RunFolder

CONFIG, ADAPTER = "config.json", "adapter_config.json"
_HUB_ID = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
_OTHER_FORMATS = "transformers reads config.json and *.safetensors; GGUF and other formats want a server (openai:NAME)."


@dataclass(frozen=True)
class ModelSource:
    """Where a model is: what it was asked for by, and the folder or hub id that has it."""

    name: str
    path: str
    adapter: bool = False
    run: Run | None = None
    revision: str | None = None


def find_model(name: str, *, revision: str | None = None) -> ModelSource:
    """Where the model of a name is, loading nothing; only what is no folder is looked for on the hub."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        return _in_folder(name, folder)
    if folder.exists():
        raise UsageError(f"{name!r} is a file, not the folder of a model.", "Name the folder that it lies in.")
    if not _HUB_ID.fullmatch(name) or folder.parts[0] in ("runs", "~") or (name.count("/") and folder.parent.is_dir()):
        raise UsageError(f"There is no folder {name!r}, which looks like a path.", _near(folder))
    if (Path("runs") / name / MANIFEST).exists():
        raise UsageError(f"There is no folder {name!r}.", f"Did you mean 'runs/{name}'?")
    adapter = fetch(name, ADAPTER, revision) is not None
    if not adapter and fetch(name, CONFIG, revision, needed=True) is None:
        raise UsageError(f"The hub's {name!r} has no {CONFIG}, so it is no model for transformers.", _OTHER_FORMATS)
    return ModelSource(name, name, adapter, revision=revision)


def is_hub_id(name: str) -> bool:
    """Whether a name can only be that of a model on the hub."""
    return "/" in name and bool(_HUB_ID.fullmatch(name)) and not Path(name).exists()


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
        f"{name!r} holds no model: there is no {CONFIG} in it, but {shown or 'nothing at all'}.", _OTHER_FORMATS
    )


def _of_run(name: str, folder: Path) -> ModelSource:
    try:
        run = open_run(folder)
    except RunError as exc:
        raise UsageError(exc.message, exc.hint) from exc
    if "training" not in run.manifest:
        raise UsageError(
            f"{name!r} is a run of `grpo-env eval`, which has no model.", f"--model replay:{name} says it again."
        )
    kept = RunFolder(folder)
    if kept.model.is_dir():
        return replace(_in_folder(name, kept.model), run=run)
    last = list(kept.checkpoints().values())[-1:]
    told = f"Take its last checkpoint, {str(last[0])!r}, or go" if last else "Go"
    raise UsageError(
        f"The run {name!r} has no model yet: its training did not end.",
        f"{told} on with: grpo-env train --resume {name}.",
    )


def _run_around(folder: Path) -> Run | None:
    """The training that a model or checkpoint lies in the folder of."""
    for parent in folder.resolve().parents[:2]:
        with suppress(RunError):
            run = open_run(parent)
            return run if "training" in run.manifest else None
    return None


def _near(folder: Path) -> str:
    """The folder beside it that somebody may have meant."""
    if not folder.parent.is_dir():
        return f"{str(folder.parent)!r} is no folder either."
    beside = [str(path) for path in folder.parent.iterdir() if path.is_dir()]
    return did_you_mean(str(folder), beside) or "A model of the hub is named OWNER/NAME."
