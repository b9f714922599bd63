"""Which rows environment code works on at this moment: a small file in the run folder that a killed process leaves."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from grpo_env_sdk.runs.record_shapes import open_regular

LIVE = ".live"
_SLOT = 120
"""The bytes of a line: one for each call that goes on."""
_MOST_BYTES = 1 << 22
_SHOWN = 8


@dataclass(frozen=True, slots=True, order=True)
class LiveRow:
    """A row whose environment code ran: which sample of it, in which stage, and of which environment."""

    row_index: int
    sample: int
    stage: str
    env: str

    def __str__(self) -> str:
        return f"{self.row_index} ({self.stage})"


class LiveRows:
    """Writes that file, two short writes a call; the kernel has them even if this process is killed a moment later."""

    def __init__(self, folder: Path, rank: int = 0) -> None:
        """`rank` is for processes that train together, each of which has a file of its own."""
        self.path = folder / (f"{LIVE}-{rank}" if rank else LIVE)
        self._file = -1
        self._lost = False
        self._free: list[int] = []
        self._slots = 0

    @contextmanager
    def during(self, row: LiveRow) -> Iterator[None]:
        """While this lasts, the row is in the file."""
        if not self._free:
            self._slots += 1
            self._free.append(self._slots)
        slot = self._free.pop()
        self._write(slot, f"{row.row_index} {row.sample} {row.stage} {row.env}")
        try:
            yield
        finally:
            self._write(slot, "")
            self._free.append(slot)

    def close(self) -> None:
        """Remove the file: this process ends in good order."""
        self._lost = True
        if self._file >= 0:
            with suppress(OSError):
                os.ftruncate(self._file, 0)  # where the folder was moved, the file is no longer at its path
                if os.path.samestat(os.fstat(self._file), os.stat(self.path)):
                    self.path.unlink()
            os.close(self._file)
            self._file = -1

    def _write(self, slot: int, text: str) -> None:
        if self._lost:
            return
        try:
            if self._file < 0:
                self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
                self._write(0, _boot())
            os.pwrite(self._file, text.encode("ascii", "replace")[: _SLOT - 1].ljust(_SLOT - 1) + b"\n", slot * _SLOT)
        except OSError:  # a full disk: the episodes are what matters
            self._lost = True


def left_in(folder: Path, rank: int | None = None) -> list[LiveRow]:
    """The rows whose environment code ran when the process that wrote a run was killed, or ended itself.

    `rank` is one of several processes that trained together.

    None where it ended in good order, and where the machine was started again since: that was no environment's doing.
    """
    found: set[LiveRow] = set()
    for path in sorted(folder.glob(f"{LIVE}*")) if rank is None else [LiveRows(folder, rank).path]:
        found.update(rows_in(path))
    return sorted(found)


def rows_in(path: Path) -> list[LiveRow]:
    """The rows in one such file; what is no row there is left out."""
    try:
        with open_regular(path) as file:
            first, *lines = file.read(_MOST_BYTES).decode("ascii", "replace").split("\n")
    except (OSError, ValueError):
        return []
    return [row for line in lines if (row := _row(line))] if first.strip() == _boot() else []


def forget(folder: Path) -> None:
    """Remove what killed processes have left."""
    for path in folder.glob(f"{LIVE}*"):
        with suppress(OSError):
            path.unlink()


def named_rows(rows: Sequence[LiveRow]) -> str:
    """`row 2 (score)`, `rows 2 (score), 4 (step) and 7 more`: for a message."""
    shown = ", ".join(map(str, rows[:_SHOWN]))
    more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return f"row{'s'[: len(rows) != 1]} {shown}{more}"


def ended_in(folder: str | Path, rows: Sequence[LiveRow]) -> str:
    """How a run ended: the beginning of a sentence."""
    return f"{folder} ended while environment code worked on {named_rows(rows)}"


def _row(line: str) -> LiveRow | None:
    words = line.split(None, 3)
    if (
        len(line) >= _SLOT
        or len(words) != 4
        or not (words[0].isdecimal() and words[1].isdecimal() and words[2].isalpha())
    ):
        return None
    return LiveRow(int(words[0]), int(words[1]), words[2], words[3].strip())


def _boot() -> str:
    """What is another one after the machine was started again."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return "-"
