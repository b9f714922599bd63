"""The memory that this process used, of the GPU or of the machine."""

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Memory:
    """Bytes of one process: the peak, and what Python and its libraries had before there was a model."""

    peak: float
    base: float
    on_gpu: bool


@contextmanager
def memory_of(args: Any) -> Iterator["MemoryMeter"]:
    """Measures the memory of what happens inside."""
    import torch

    meter = MemoryMeter(torch.cuda.is_available() and not args.use_cpu)
    if meter.on_gpu:
        torch.cuda.reset_peak_memory_stats()
    yield meter


@dataclass
class MemoryMeter:
    """On a GPU the peak is that of torch's allocator; on a CPU it is the resident memory of the process."""

    on_gpu: bool
    base: float = field(init=False)

    def __post_init__(self) -> None:
        self.base = 0.0 if self.on_gpu else _resident()

    def used(self) -> Memory:
        """What was used so far."""
        import torch

        peak = float(torch.cuda.max_memory_reserved()) if self.on_gpu else resident_peak()
        return Memory(peak, self.base, self.on_gpu)


def resident_peak() -> float:
    """The most resident memory that this process has had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


def _resident() -> float:
    import psutil  # type: ignore[import-untyped]  # it has no types

    return float(psutil.Process().memory_info().rss)
