"""A cache of verdicts: a question is asked once, even if several episodes ask it at the same time."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any


class Verdicts:
    """The newest verdicts, up to a limit; a question without a verdict is asked again the next time."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._known: OrderedDict[bytes, float] = OrderedDict()
        self._asked: dict[tuple[asyncio.AbstractEventLoop, bytes], asyncio.Task[float | None]] = {}

    async def get(self, key: bytes, ask: Callable[[], Coroutine[Any, Any, float | None]]) -> float | None:
        """The verdict for a key; asks for it if it is not known."""
        if (known := self._known.get(key)) is not None:
            return known
        place = (asyncio.get_running_loop(), key)
        if place not in self._asked:
            self._asked[place] = asyncio.create_task(self._ask(key, ask))
            self._asked[place].add_done_callback(lambda _: self._asked.pop(place, None))
        return await asyncio.shield(
            self._asked[place]
        )  # if one caller is cancelled, the others still get the answer

    async def _ask(self, key: bytes, ask: Callable[[], Coroutine[Any, Any, float | None]]) -> float | None:
        verdict = await ask()
        if verdict is not None:
            self._known[key] = verdict
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return verdict
