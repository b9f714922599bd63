"""The interface between episodes that ask for a turn in tokens and the sampler."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol, TypeVar

from grpo_env_trl.writers.figures import Figures

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask:
    """One turn to sample: the episode's place in the batch, what the model reads, the room for the turn, its seed.

    The seed differs for every turn of a training; writers that sample each turn by itself draw with it.
    """

    place: int
    context: list[int]
    most: int
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Written:
    """The sampled tokens of one turn, the log-probability of each where it is known, and the seconds they took."""

    ids: list[int]
    logprobs: list[float] | None = None
    seconds: float = 0.0


class TurnSource(Protocol):
    """Gives the tokens of turns."""

    async def write(self, ask: Ask) -> Written:
        """The tokens of one turn; a caller that is cancelled gets nothing, and the writer continues."""


class TurnServer(TurnSource, Protocol):
    """Samples turns at any time, from the newest weights that it was sent."""

    @property
    def context_length(self) -> int | None:
        """How many tokens the model reads at most, where that is known."""

    async def close(self) -> None:
        """Let go of what is open."""


class Writer(TurnSource, Protocol):
    """Samples turns for the episodes of one batch.

    `write` and `when_quiet` are called in the event loop in which the episodes live; `pump` in the thread that called
    the trainer, which alone generates and takes part in collective operations.
    """

    figures: Figures
    """What it has done so far."""

    def when_quiet(self) -> None:
        """No environment code runs: every episode that still goes on waits for a turn."""

    def pump(self, begin: Callable[[], "Future[T]"]) -> T:
        """Start the episodes and sample until they are over; returns their result, or raises."""
