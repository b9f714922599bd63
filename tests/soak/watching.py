"""What a soak takes from the machine, sampled while it plays, and whether every episode ended as was planted."""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.soak.environment import KINDS, PLANTED

ROOT = Path(__file__).parents[2]
_UNTIL_GONE = 20.0


@dataclass(frozen=True)
class Sample:
    """One look at the command and at all processes below it; memory is in bytes."""

    seconds: float
    episodes: int
    cpu_seconds: float
    memory: int
    """Of the command itself (RSS)."""
    others_memory: int
    """Of the processes below it, pages that they share counted once (PSS)."""
    processes: int
    threads: int
    descriptors: int
    """Of the command itself, as are the threads."""
    files: int
    """In its temporary folder, with those of the workers."""


@dataclass(frozen=True)
class Soaked:
    """What a soak has shown."""

    samples: list[Sample]
    counted: Mapping[str, tuple[int, int]]
    """For each kind of row: the episodes that were played, and those of them that ended as was planted."""
    wrong: list[str]
    """Episodes that ended in another way, or whose record is missing or twice."""
    left: list[str]
    """Processes and files that were still there after the command had ended."""
    exit_code: int
    told: str
    """What the command wrote to stderr."""


def soak(pool: str, seconds: float, every: float = 5.0) -> Soaked:
    """Play episodes in a pool for so long, and look every few seconds."""
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        environ = os.environ | {"TMPDIR": str(folder / "tmp"), "RAY_TMPDIR": name}
        outcomes, errors = folder / "outcomes.txt", folder / "errors.txt"
        words = [sys.executable, "-m", "tests.soak.playing", pool, str(seconds), str(outcomes)]
        with errors.open("w") as stderr:
            command = subprocess.Popen(words, cwd=ROOT, env=environ, stdout=stderr, stderr=stderr)
            seen: set[psutil.Process] = set()
            try:
                samples = list(_samples(command, outcomes, folder / "tmp", seen, every))
            finally:
                command.kill()
                command.wait()
        lines = outcomes.read_text().splitlines()
        left = [*_left(seen), *(f"the file {path}" for path in (folder / "tmp").iterdir())]
        counted, wrong = _counted(lines)
        return Soaked(samples, counted, wrong, left, command.returncode, errors.read_text())


def _samples(
    command: "subprocess.Popen[bytes]", outcomes: Path, temporary: Path, seen: set[psutil.Process], every: float
) -> Iterator[Sample]:
    main, started = psutil.Process(command.pid), time.monotonic()
    while True:
        with suppress(subprocess.TimeoutExpired):
            command.wait(every)
            return
        with suppress(psutil.Error, FileNotFoundError):  # it has just ended, or written nothing yet
            below = main.children(recursive=True)
            seen |= {main, *below}
            yield Sample(
                seconds=time.monotonic() - started,
                episodes=outcomes.read_bytes().count(b"\n"),
                cpu_seconds=sum(filter(None, map(_cpu_seconds, seen))),
                memory=main.memory_info().rss,
                others_memory=sum(map(_shared_memory, below)),
                processes=len(below),
                threads=main.num_threads(),
                descriptors=main.num_fds(),
                files=sum(len(files) for _, _, files in os.walk(temporary)),
            )


def _cpu_seconds(process: psutil.Process) -> float:
    """With what its children took that have ended; nothing where its number is another process's by now."""
    with suppress(psutil.Error):
        return sum(process.cpu_times()[:4]) if process.is_running() else 0.0
    return 0.0


def _shared_memory(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(process.memory_full_info().pss)
    return 0


def _left(seen: set[psutil.Process]) -> list[str]:
    """Processes that outlive the command, after the moment that the kernel may take to end them."""
    ends = time.monotonic() + _UNTIL_GONE
    while (alive := [process for process in seen if _runs(process)]) and time.monotonic() < ends:
        time.sleep(0.1)
    return [f"the process {process}" for process in alive]


def _runs(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _counted(lines: list[str]) -> tuple[dict[str, tuple[int, int]], list[str]]:
    played, right, wrong = Counter[str](), Counter[str](), []
    found = Counter(line.rpartition("\t")[0] for line in lines)
    for line in lines:
        row, sample, how = line.split("\t")
        kind = KINDS[int(row)]
        played[kind] += 1
        if how == PLANTED[kind][1]:
            right[kind] += 1
        else:
            wrong.append(f"row {row}, sample {sample} {kind}: {how}")
    expected = {f"{number % len(KINDS)}\t{number // len(KINDS)}" for number in range(len(lines))}
    wrong += [f"{job} was recorded {found[job]} times" for job in expected ^ {job for job in found if found[job] == 1}]
    return {kind: (played[kind], right[kind]) for kind in PLANTED}, wrong
