"""Files that code opens and never closes, until its process can open no more."""

import os
import resource


class OpenFiles:
    """The files that this process has open now, to be compared with those that are open later."""

    def __init__(self) -> None:
        self._first = _next_descriptor()

    def used_up(self, part: float) -> bool:
        """Whether that part is open by now of all that this process could still open at first."""
        return _next_descriptor() - self._first >= (_most() - self._first) * part


def _next_descriptor() -> float:
    """The number that the next file gets, which is the lowest that is free."""
    try:
        found = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return _most()
    os.close(found)
    return found


def _most() -> float:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return float("inf") if soft == resource.RLIM_INFINITY else soft
