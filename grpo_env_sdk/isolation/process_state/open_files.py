"""Files that code opens and never closes, until its process can open no more."""

import os
import resource


class OpenFiles:
    """The files that this process has open now, to be compared with those that are open later."""

    def __init__(self) -> None:
        self._first = _next_descriptor()

    @property
    def left(self) -> float:
        """How many more are open by now."""
        return _next_descriptor() - self._first

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


def _next_descriptor() -> float:
    """The number that the next file gets, which is the lowest that is free."""
    try:
        found = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return most_files()
    os.close(found)
    return found
