"""How busy this machine is with other work, and what that costs what is measured."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass

MOST_BUSY = 10.0
"""A busy machine excuses work that takes at most so many times as long."""
_TRIAL = 0.03
"""For how many seconds to try how much of a processor this process gets."""
_WORTH_TRYING = 10 * _TRIAL
"""What takes less is quick on any machine, and most builds of rows do."""
_SELDOM = 0.002
"""The waits of threads are read again after so many seconds for each of them, as reading takes time for each; ten
threads are the least."""
_THREADS = "/proc/self/task"


def busy(most: float = MOST_BUSY) -> float:
    """How many times longer than usual things take, by the load of this machine."""
    return min(most, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))


@dataclass(frozen=True, slots=True)
class Spent:
    """The seconds that something took, those of a processor in it, and how many times slower the machine was."""

    seconds: float
    worked: float
    slower: float = 1.0

    @property
    def quiet_part(self) -> float:
        """The part of the time that a quiet machine would have taken: what waits takes as long on any."""
        lost = self.worked * (self.slower - 1.0)
        return max(1.0 / self.slower, 1.0 - lost / self.seconds)

    @property
    def busy_part(self) -> float:
        """The part of the time in which a processor would have been busy on a quiet machine."""
        return self.worked / (self.seconds * self.quiet_part)


class Stopwatch:
    """Measures from its creation on."""

    def __init__(self) -> None:
        self._slower = busy()
        self._started, self._worked = time.perf_counter(), _processor_seconds()

    def stop(self) -> Spent:
        """What was spent since."""
        seconds, worked = time.perf_counter() - self._started, _processor_seconds() - self._worked
        return Spent(seconds, worked, max(self._slower, _slower_now() if seconds > _WORTH_TRYING else busy()))


def fair_seconds(passed: float, lost: float, worked: float) -> float:
    """The seconds that count of those that passed, without those that were lost while nothing was done.

    A tenth counts in any case: threads that wait for each other may say that they lost more than passed.
    """
    return max(passed - lost, min(worked, passed), passed / MOST_BUSY)


class FairClock:
    """Seconds without those in which this process waited for a processor, so that load costs its user nothing.

    Linux says how long each thread waited. Elsewhere, and for the processes that this one starts, the work that was
    done and the load of the machine tell about how long that was.
    """

    def __init__(self) -> None:
        self._counted = 0.0
        self._at, self._worked, self._of_children = time.monotonic(), time.process_time(), _children_seconds()
        self._waits = _waits_of_threads()

    def now(self) -> float:
        """The seconds that count since its creation."""
        at = time.monotonic()
        if at - self._at < _SELDOM * max(10, len(self._waits)):
            return self._counted + at - self._at
        worked, of_children, waits = time.process_time(), _children_seconds(), _waits_of_threads()
        lost = sum(waited - self._waits.get(thread, 0.0) for thread, waited in waits.items())  # others began since
        unseen = of_children - self._of_children + (0.0 if waits else worked - self._worked)
        if unseen:  # asking for the load takes longer than all else here
            lost += unseen * (busy() - 1.0)
        self._counted += fair_seconds(at - self._at, lost, worked - self._worked)
        self._at, self._worked, self._of_children, self._waits = at, worked, of_children, waits
        return self._counted


def _waits_of_threads() -> dict[str, float]:
    """How many seconds each thread of this process has waited for a processor; nothing where no system says so."""
    found = {}
    for thread in _listed(_THREADS):
        with suppress(OSError, ValueError, IndexError), open(f"{_THREADS}/{thread}/schedstat", "rb") as file:
            found[thread] = int(file.read().split()[1]) / 1e9
    return found


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _children_seconds() -> float:
    """The processor time of the children that have ended."""
    return sum(os.times()[2:4])


def _processor_seconds() -> float:
    """The processor time of this process and of the children that have ended."""
    return sum(os.times()[:4])


def _slower_now() -> float:
    """How many times longer work takes now than on a quiet machine: by its load, and by trying."""
    started, worked = time.perf_counter(), time.thread_time()
    while (passed := time.perf_counter() - started) < _TRIAL:
        pass
    got = max(time.thread_time() - worked, passed / MOST_BUSY)
    return max(busy(), passed / got)
