"""What all processes of a training have to agree on before anything is written: packages, code, rows, the folder."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from grpo_env_sdk.ext import UsageError
from grpo_env_trl import ranks
from grpo_env_trl.setup.preparing import TrainingSetup

_PATIENCE = 10.0
"""Seconds in which a new file has to be seen by every machine."""


def check_agreement(setup: TrainingSetup) -> None:
    """Raise where a process would train on something else than the first one, or does not see its folder."""
    if ranks.started_together() == 1:
        return
    for message, hint in differences_among(ranks.of_all(setup.manifest())):
        raise UsageError(message, hint)
    if setup.args.save_strategy != "no":
        _check_folder(setup.folder)


def differences_among(manifests: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """How the manifests of other processes differ from that of the first one, each with what to do."""
    first = manifests[0]
    for rank, other in enumerate(manifests):
        for name in sorted({*first["versions"], *other["versions"]}):
            ours, theirs = (one["versions"].get(name) or "none" for one in (first, other))
            if ours != theirs:
                what = f"Process {rank} has {name} {theirs}, and process 0 has {ours}."
                yield what, f"Install the same {name} on every machine."
        for name, ours in first["environments"].items():
            theirs = other["environments"][name]
            if any(ours.get(key) != theirs.get(key) for key in ("env_version", "source_hash")):
                what = f"Process {rank} has other code of {name} than process 0."
                yield what, "Install the same version for every process."
            if ours["dataset_fingerprint"] != theirs["dataset_fingerprint"]:
                what = f"Process {rank} has other rows of {name} than process 0 ({theirs['rows']} and {ours['rows']})."
                yield (
                    what, "build_dataset has to build the same rows in every process: sort what comes from a set or a "
                    "folder, and seed what is random.",
                )  # fmt: skip


def _check_folder(folder: Path) -> None:
    """Raise where a process does not see a file that the first one writes beside the run."""
    parent = folder.absolute()
    with ExitStack() as opened:

        def written() -> Path:
            place = next(each for each in (parent, *parent.parents) if each.is_dir())
            return Path(opened.enter_context(NamedTemporaryFile(prefix=".grpo-env-", dir=place)).name)

        file = ranks.from_first(written)
        blind = [rank for rank, seen in enumerate(ranks.of_all(_comes(file))) if not seen]
    if blind:
        raise UsageError(
            f"Process {blind[0]} does not see {str(file.parent)!r} of process 0, and could not resume from there.",
            "Give an --out on a disk that all machines share, or train without checkpoints: --save-strategy no.",
        )


def _comes(file: Path) -> bool:
    end = time.monotonic() + _PATIENCE
    while not file.exists():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True
