"""Where this machine keeps what can be made again."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """`grpo-env` in the cache folder of the user, which XDG_CACHE_HOME names; nothing is lost where it is deleted."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "grpo-env"
