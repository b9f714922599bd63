"""Where this package keeps what belongs to its user."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder of what can be made again, which XDG_CACHE_HOME names; nothing is lost where it is deleted."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "grpo-env"


def state_folder() -> Path:
    """The folder of what has to stay, such as the key that signs runs; it may not be there yet."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "grpo-env"
