"""Where the command began: what environment code changes of it in this process is set back."""

import os
import sys
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grpo_env_sdk import GrpoEnvWarning

_ALONE = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "LOCAL_WORLD_SIZE": "1"}
"""What a launcher tells each process, and what a process that trains alone takes for granted."""


def _place() -> dict[str, str | None]:
    return {name: os.environ.get(name) for name in _ALONE}


def _dtype() -> Any:
    """The default dtype of torch, in which TRL computes rewards; None where nobody has imported torch."""
    torch = sys.modules.get("torch")
    return torch and torch.get_default_dtype()


@dataclass(frozen=True)
class Home:
    """The working folder, to which files of the run are relative, the place among a launcher's processes, the dtype."""

    folder: Path = field(default_factory=Path.cwd)
    place: dict[str, str | None] = field(default_factory=_place)
    dtype: Any = field(default_factory=_dtype)

    def go_back(self, env_name: str) -> None:
        """Set back what is not as it was, and say so."""
        try:
            found = Path.cwd()
        except FileNotFoundError:  # it was deleted
            found = Path()
        if found != self.folder:
            os.chdir(self.folder)
            _warn(f"{env_name} changes the working directory of this process, which is set back to {self.folder}.")
        changed = [
            name for name, usual in _ALONE.items() if (os.environ.get(name) or usual) != (self.place[name] or usual)
        ]
        for name in changed:
            value = self.place[name]
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        if changed:
            _warn(f"{env_name} changes variables of a launcher, which are set back: {', '.join(changed)}.")
        torch, dtype = sys.modules.get("torch"), _dtype()
        if torch and dtype != (self.dtype or torch.float32):
            torch.set_default_dtype(self.dtype or torch.float32)
            _warn(f"{env_name} sets the default dtype to {dtype}, in which rewards are rounded; it is set back.")


def _warn(text: str) -> None:
    warnings.warn(text, GrpoEnvWarning, stacklevel=3)
