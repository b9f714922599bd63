"""The weights of warm starts on this machine, kept by all that they follow from: the same one is done once."""

import hashlib
import json
import os
import platform
from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import cache_folder
from grpo_env_trl.demo import model as code
from grpo_env_trl.demo.model import TokenizedDemos, warm_start

MOST = 20
"""How many are kept; the one that was used longest ago goes first."""


def warmed(model: Any, demos: TokenizedDemos, seed: int, progress: Callable[[int, int], None], steps: int) -> None:
    """Give the model the weights of a warm start: those that were kept, or those of one that is done now."""
    path = cache_folder() / "demo" / f"{_name(model, demos, seed, steps)}.safetensors"
    if _given(model, path):
        progress(steps, steps)
        return
    warm_start(model, demos, seed, progress, steps)
    with suppress(OSError):  # a full disk, or a home that cannot be written
        _keep(model, path)


def _name(model: Any, demos: TokenizedDemos, seed: int, steps: int) -> str:
    """A digest of what decides the weights: demonstrations, network, code, and what computes them in which order."""
    import torch
    import transformers

    told = [
        model.config.to_dict(), seed, steps, torch.__version__, transformers.__version__, torch.get_num_threads(),
        platform.processor(), [len(ids) for ids in demos.ids],
    ]  # fmt: skip
    digest = hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode())
    digest.update(Path(str(code.__file__)).read_bytes())
    for row in [*demos.ids, *demos.said]:
        digest.update(array("l", row).tobytes())
    return digest.hexdigest()[:32]


def _given(model: Any, path: Path) -> bool:
    """Whether the file is there and whole; the model has its weights then."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    own = model.state_dict()
    try:
        kept = load_file(path)
        path.touch()
    except (OSError, SafetensorError):
        return False
    if any(name not in own or own[name].shape != value.shape for name, value in kept.items()):
        return False
    model.load_state_dict(kept, strict=False)  # tied weights are in it once
    model.eval()
    return True


def _keep(model: Any, path: Path) -> None:
    from safetensors.torch import save

    own = {value.data_ptr(): (name, value) for name, value in model.state_dict().items()}  # tied weights once
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f".{path.name}.{os.getpid()}")
    written.write_bytes(save(dict(own.values())))
    os.replace(written, path)
    for old in sorted(path.parent.glob("*.safetensors"), key=lambda one: one.stat().st_mtime)[:-MOST]:
        old.unlink(missing_ok=True)
