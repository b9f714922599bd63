"""Files that code opens and never closes, until its process can open no more."""

import os
import resource
import sys

_OPEN = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"


class OpenFiles:
    """The files that this process has open now, to be compared with those that are open later."""

    def __init__(self) -> None:
        self._first = _count()

    @property
    def left(self) -> float:
        """How many more are open by now."""
        return _count() - self._first

    @property
    def room(self) -> float:
        """How many more there may be."""
        return most_files() - self._first

    def use_up(self, part: float) -> bool:
        """Whether that part of the room is taken."""
        return self.left >= self.room * part


def most_files() -> float:
    """How many files this process may have open."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return float("inf") if soft == resource.RLIM_INFINITY else soft


def _count() -> float:
    """How many files are open, apart from the folder that lists them; all there may be where it cannot be opened."""
    try:
        return len(os.listdir(_OPEN)) - 1
    except OSError:
        return most_files()
