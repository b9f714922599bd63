"""The memory that this process used, of the GPU or of the machine."""

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Memory:
    """Bytes of one process: the peak, and what Python and its libraries take of it."""

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
    base: float = 0.0

    def read_base(self, trainer: Any) -> None:
        """Reads what Python and its libraries take; the model has to be loaded and to have computed something."""
        if self.on_gpu:
            return
        models = [model for model in (trainer.model, getattr(trainer, "ref_model", None)) if model is not None]
        weights = sum(weight.nbytes for model in models for weight in model.parameters())
        self.base = max(0.0, _resident() - weights)

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
