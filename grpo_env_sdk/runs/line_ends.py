"""Where the lines of a file of episodes end."""

import os
from pathlib import Path
from typing import Any

from grpo_env_sdk.runs.reading import RunError
from grpo_env_sdk.runs.record_shapes import MOST_LINE


def end_of_lines(path: Path) -> int | None:
    """Where the last complete line ends, as a crash may leave a part of one; None where there is no file."""
    if not path.exists():
        return None
    with path.open("rb") as file:
        found = _line_end_before(file, file.seek(0, os.SEEK_END))
        _line_end_before(file, found - 1)
    return found


def _line_end_before(file: Any, place: int) -> int:
    """Where the last line ends that ends before a place of a file; raises where the next one is no record."""
    end = place
    while end > 0:
        start = max(0, end - 65536)
        file.seek(start)
        newline: int = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
        if place - end > MOST_LINE:
            raise RunError(
                f"{file.name} has a line of more than {MOST_LINE >> 20} MiB, which is no episode.",
                "Restore or remove it.",
            )
    return 0
