"""A gate in an event loop that lets so many in at once, and the others in the order in which they came."""

import asyncio
from collections import deque


class Gate:
    """As a semaphore whose size may change, and cheaper: `async with gate:` has a place while it lasts."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def __aenter__(self) -> None:
        if self._inside < int(self.limit) and not self._waiting:
            self._inside += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():
                self._leave()  # it got a place in the same moment
            raise

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    def _leave(self) -> None:
        self._inside -= 1
        self.let_in()

    def let_in(self) -> None:
        """Give free places to those who wait, in order."""
        while self._waiting and self._inside < int(self.limit):
            place = self._waiting.popleft()
            if not place.done():
                self._inside += 1
                place.set_result(None)
