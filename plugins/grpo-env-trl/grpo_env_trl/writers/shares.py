"""One writer for the episodes of several environments: it begins a round once the episodes of all of them wait."""

from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from grpo_env_trl.writers.writer import Ask, Writer, Written

T = TypeVar("T")


class SharedWriter:
    """Gives each environment a share of a writer; used in the event loop of their episodes alone."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self._shares: list[WriterShare] = []

    def share(self, places: Sequence[int]) -> "WriterShare":
        """The share of an environment whose episodes have these places in the batch; take all before any begins."""
        self._shares.append(WriterShare(self, places))
        return self._shares[-1]

    def check(self) -> None:
        """Begin a round where every environment is quiet."""
        if all(share.quiet for share in self._shares):
            for share in self._shares:
                share.quiet = not share.waiting  # those that wait will go on, and become quiet again
            self.writer.when_quiet()


class WriterShare:
    """What the driver of one environment takes as its writer."""

    def __init__(self, whole: SharedWriter, places: Sequence[int]) -> None:
        self.quiet = False
        self.waiting = 0
        """How many of its episodes wait for a turn."""
        self._whole = whole
        self._places = places

    async def write(self, ask: Ask) -> Written:
        """The tokens of one turn."""
        self.waiting += 1
        try:
            return await self._whole.writer.write(replace(ask, place=self._places[ask.place]))
        finally:
            self.waiting -= 1

    def when_quiet(self) -> None:
        """Every episode of this environment waits for a turn, or is over."""
        self.quiet = True
        self._whole.check()

    async def until_over(self, playing: Coroutine[Any, Any, T]) -> T:
        """What the episodes of this environment give; from then on nobody waits for it."""
        try:
            return await playing
        finally:
            self.when_quiet()
