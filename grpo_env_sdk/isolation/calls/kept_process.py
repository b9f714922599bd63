"""What a command needs of its process, to be set back to where calls of environment code have changed it."""

import os
import sys
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.isolation.calls.standard_streams import StandardStreams


def usable_folder() -> str:
    """The working directory; empty where no whole path leads to it, so that only relative ones do."""
    with suppress(OSError):
        folder = os.getcwd()
        return folder if os.path.samefile(folder, ".") else ""
    return ""


@dataclass(frozen=True)
class KeptProcess:
    """The recursion limit, the standard streams, the working directory and the filters of warnings of a command."""

    as_json: bool
    grace: float
    pid: int = field(default_factory=os.getpid)
    limit: int = field(default_factory=sys.getrecursionlimit)
    filters: list[Any] = field(default_factory=lambda: [*warnings.filters])
    streams: StandardStreams = field(default_factory=StandardStreams)
    folder: str = field(default_factory=usable_folder)

    def set_back(self, everything: bool) -> list[str]:
        """What was set back; `everything` is for when no other call may need what one has changed."""
        changed = []
        if sys.getrecursionlimit() < self.limit:
            changed.append(f"the recursion limit, to {sys.getrecursionlimit()},")
            sys.setrecursionlimit(self.limit)
        changed += self.streams.set_back(replaced=everything)
        if everything and self.go_back():
            changed.append("the working directory")
        if everything and (errors := [each for each in warnings.filters if self._is_for_all(each)]):
            warnings.filters[:] = [each for each in warnings.filters if each not in errors]  # type: ignore[index]
            warnings._filters_mutated()  # type: ignore[attr-defined]  # as `warnings.simplefilter` does
            changed.append("the filters of warnings, to errors,")
        return changed

    def go_back(self) -> bool:
        """Whether the working directory was another one; it is no longer."""
        try:
            if not self.folder or os.getcwd() == self.folder:
                return False
        except OSError:  # it was deleted
            pass
        with suppress(OSError):  # the one that the command began in was deleted
            os.chdir(self.folder)
            return True
        return False

    def _is_for_all(self, found: Any) -> bool:
        """Whether a new filter makes errors of all warnings of a kind, of whatever module."""
        action, text, _, module, _ = found
        return action == "error" and text is None and module is None and found not in self.filters
