"""The parent's end of the talk with one worker: frames out, frames in, under deadlines that hold."""

import asyncio
from typing import Any

from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.isolation.processes.forked import Forked, ended_how
from grpo_env_sdk.rollout.encoding import Packet, decode
from grpo_env_sdk.rollout.process_frames import BadFrameError, Frame, Unpacker

GRACE_SECONDS = 0.5
"""How much longer than its deadline a call may take before its process is killed: the worker itself may see to it."""
_UNTIL_KNOWN = 1.0
_MOST_SECONDS = 1e9
_MOST_TEXT = 2000
"""The characters of an error that a worker tells."""


class WorkerLateError(Exception):
    """A worker did not answer in time, and was killed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class WorkerEndedError(Exception):
    """A worker ended before it answered; says how."""

    def __init__(self, how: str, code: int | None) -> None:
        super().__init__(how)
        self.code = code


class Worker:
    """A worker process as its parent sees it."""

    def __init__(self, forked: Forked) -> None:
        self.forked = forked
        self.alone = asyncio.Lock()
        """Held for one exchange, where several episodes share the worker."""
        self.usable = True
        """Whether another episode may have it."""
        self._seconds: float | None = None
        """The time of the call that goes on."""
        self._unpacker = Unpacker()

    @property
    def alive(self) -> bool:
        """Whether another episode may have it, and it has not ended meanwhile."""
        return self.usable and not self.forked.ended

    async def ask(self, frame: Frame, seconds: float | None, clocks: int = 0) -> Frame:
        """What the worker answers; where it does not in time, ends, or talks nonsense, it is killed.

        `clocks` is how often it may say that a call begins which has a time of its own.
        """
        try:
            found = await self._exchanged(frame, seconds, clocks)
        except asyncio.CancelledError:
            self.usable = False  # its answer would be taken for that to another question
            raise
        except TimeoutError:
            self.kill()
            raise WorkerLateError(self._seconds or 0.0) from None
        except BadFrameError as exc:
            self.kill()
            raise WorkerEndedError(f"was ended, as {exc}", None) from None
        except (OSError, EOFError):
            code = await asyncio.to_thread(self.forked.wait, _UNTIL_KNOWN)
            self.kill()
            raise WorkerEndedError(ended_how(code), code) from None
        self.usable = self.usable and found.kind != "stuck"
        return found

    def kill(self) -> None:
        """End it and everything that it started."""
        self.usable = False
        self.forked.kill()

    async def _exchanged(self, frame: Frame, seconds: float | None, clocks: int) -> Frame:
        loop, talk = asyncio.get_running_loop(), self.forked.socket
        async with asyncio.timeout(None) as deadline:
            self._let(deadline, seconds)
            data = frame.packed()
            try:
                sent = talk.send(data)
            except BlockingIOError:
                sent = 0
            if sent < len(data):
                await loop.sock_sendall(talk, memoryview(data)[sent:])
            while True:
                while (found := self._unpacker.next()) is None:
                    received = await loop.sock_recv(talk, 1 << 18)
                    if not received:
                        raise EOFError
                    self._unpacker.feed(received)
                if found.kind != "clock":
                    return found
                if clocks == 0:
                    raise BadFrameError("it asked for more time than it has calls")
                clocks -= 1
                self._let(deadline, _seconds_in(found.packet, seconds))

    def _let(self, deadline: asyncio.Timeout, seconds: float | None) -> None:
        """Have the deadline so many seconds from now."""
        self._seconds, now = seconds, asyncio.get_running_loop().time()
        deadline.reschedule(None if seconds is None else now + seconds + GRACE_SECONDS)


def checked_answer(answer: Frame, error: type[GrpoEnvError], whose: str = "") -> Any:
    """What a worker has answered; raises the `error` that it reports instead, or a `BadFrameError` for nonsense."""
    try:
        found = decode(answer.packet)
    except Exception as exc:
        raise BadFrameError(type(exc).__name__) from exc
    if isinstance(found, dict) and isinstance(found.get("failed"), str):
        raise error(whose + found["failed"][:_MOST_TEXT], str(found.get("hint", ""))[:_MOST_TEXT])
    return found


def _seconds_in(packet: Packet, usual: float | None) -> float | None:
    """The time of a call; only where calls have no end otherwise has this one none."""
    try:
        given = decode(packet)
        if given is None and usual is None:
            return None
        if isinstance(given, int | float) and 0 < given <= _MOST_SECONDS:
            return float(given)
    except Exception as exc:
        raise BadFrameError("it sent a time that is no number") from exc
    raise BadFrameError("it sent a time that no call has")
