"""The processes that a process has started."""

from pathlib import Path


def children_of(pid: int) -> list[int]:
    """The processes that a process has started, the first one first; none if it has ended."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:  # or no Linux
        return []
