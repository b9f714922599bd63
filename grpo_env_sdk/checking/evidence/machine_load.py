"""How busy this machine is with other work, and what that costs what is measured."""

import os
import time
from dataclasses import dataclass

MOST_BUSY = 10.0
"""A busy machine excuses work that takes at most so many times as long."""
_TRIAL = 0.03
"""For how many seconds to try how much of a processor this process gets."""
_WORTH_TRYING = 10 * _TRIAL
"""What takes less is quick on any machine, and most builds of rows do."""


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
