"""The folders that Python imports from: in this process, and in those that it starts for other people's code."""

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec

_left: list[str] = []
"""Working folders that only those processes import from."""


def folders_of_workers() -> list[str]:
    """The folders, absolute, that a process for environment code imports from."""
    return [os.path.abspath(folder) for folder in dict.fromkeys((*_left, *sys.path))]


def find_here(package: str) -> ModuleSpec | None:
    """Where a package or module is, in the working folder or where this process imports from; nothing is imported."""
    here = PathFinder.find_spec(package, [os.getcwd()])
    return here if here and here.origin else find_spec(package) or here  # a folder without code hides no package


def add_working_folder() -> None:
    """Import from the working folder too, before all others."""
    if "" not in sys.path and sys.path[:1] != ["."]:
        sys.path.insert(0, _OURS)


def leave_working_folder() -> None:
    """Import no more from a working folder that `add_working_folder` has added, in this process.

    A file there that has the name of a package would run here, whatever a sandbox keeps out.
    """
    for place, folder in enumerate(sys.path):
        if folder is _OURS:
            _left[:] = [os.getcwd()]
            del sys.path[place]
            return


class _Added(str):
    """An entry of `sys.path` that is ours to take back."""


_OURS = _Added("")
