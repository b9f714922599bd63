"""Which files of a checkpoint run code when they are loaded."""

import re
from pathlib import Path

from grpo_env_trl.runs.whole_checkpoints import UNFINISHED

_SAFE_SUFFIXES = {".json", ".jsonl", ".safetensors", ".txt", ".jinja", ".model", ".md"}
_LOADED_AS_DATA = re.compile(
    r"optimizer\.pt|scheduler\.pt|scaler\.pt|training_args\.bin|rng_state(_\d+)?\.pth|adapter_model\.bin"
    r"|pytorch_model(-\d+-of-\d+)?\.bin"
)
"""Files that transformers and peft load with `weights_only=True`, or not at all."""


def files_that_run_code(checkpoint: Path) -> list[str]:
    """The files of a checkpoint that are pickled (DeepSpeed's, FSDP's shards), or Python."""
    return sorted(
        str(path.relative_to(checkpoint))
        for path in checkpoint.rglob("*")
        if path.is_file()
        and path.suffix not in _SAFE_SUFFIXES
        and path != checkpoint / UNFINISHED
        and not (path.parent == checkpoint and _LOADED_AS_DATA.fullmatch(path.name))
    )
