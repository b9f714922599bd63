"""Where this package keeps what belongs to its user, such as the key that signs runs."""

import os
from pathlib import Path


def state_folder() -> Path:
    """The folder; it may not be there yet."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "grpo-env"
