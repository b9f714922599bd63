"""How long a policy holds the event loop of all episodes, where it should await."""

import time
import types
import warnings
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

from grpo_env_sdk.errors import GrpoEnvWarning

T = TypeVar("T")
_MOST_SECONDS = 5.0
_MOST_SHARE = 0.5
_LONG_STEP = 0.05
"""A shorter step holds nobody up; on a busy machine another process may have run in it."""


class StepTimer:
    """The time of the long steps of a coroutine: what runs between two awaits, while every other episode waits."""

    seconds = 0.0

    @types.coroutine
    def through(self, work: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
        """What the coroutine gives."""
        step: Any = work.send
        given: Any = None
        while True:
            began = time.perf_counter()
            try:
                wanted = step(given)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]  # of the coroutine's type
            finally:
                took = time.perf_counter() - began
                self.seconds += took if took >= _LONG_STEP else 0.0
                given = None  # an error, whose traceback has this frame
            try:
                step, given = work.send, (yield wanted)
            except BaseException as exc:
                step, given = work.throw, exc


class LoopHold:
    """Says once that a policy holds the loop for most of a run."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._told = False
        self._began: float | None = None
        self._seconds = 0.0

    def add(self, seconds: float, now: float) -> None:
        """An answer held the loop for so long, while other episodes ran, and ended now."""
        self._began = now - seconds if self._began is None else self._began
        self._seconds += seconds
        whole = now - self._began
        if self._told or self._seconds < max(_MOST_SECONDS, _MOST_SHARE * whole):
            return
        self._told = True
        warnings.warn(
            f"{self._name}.respond held the event loop for {self._seconds:.0f} of {whole:.0f} s, while all other "
            "episodes waited. Await there, as with an async HTTP client, or write it as a plain `def`, which runs in "
            "threads.",
            GrpoEnvWarning,
            stacklevel=2,
        )
