"""What processes that train together tell each other beside collective operations: that they run, what they warn of."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Any

from grpo_env_sdk import GrpoEnvError, GrpoEnvWarning

_USUAL = 1800.0
"""Seconds that torch.distributed waits for processes to come up."""
_KEYS = "grpo-env/signs"


class LateProcessError(GrpoEnvError, RuntimeError):
    """A process did not come to a collective operation, for which the others waited in vain."""


class RankSigns:
    """The signs of one process, in the store of torch.distributed once `begin` was called.

    The first process prints what others warn of, except what it has warned of itself.
    """

    def __init__(self, rank: int, processes: int, show: Callable[..., None], every: float = 2.0) -> None:
        """`show` shows a warning, as `warnings.showwarning` does; signs of life are `every` so many seconds."""
        self.rank, self.processes = rank, processes
        self._show, self._every = show, every
        self._patience = _USUAL
        self._store: Any = None
        self._over = Event()
        self._lock = Lock()
        self._kept: list[dict[str, Any]] = []
        self._shown: set[str] = set()
        self._read = 0
        self._thread: Thread | None = None

    def begin(self, store: Any, patience: float) -> None:
        """Give signs from now on, in a store of all; collective operations wait for `patience` seconds."""
        if self._thread:
            return
        self._patience = patience
        self._store = store.clone() if hasattr(store, "clone") else store  # a connection of its own, where torch has it
        self._thread = Thread(target=self._run, daemon=True, name="signs of a process")
        self._thread.start()
        with self._lock:
            for each in self._kept:
                self._send(each)
            self._kept.clear()

    @property
    def have_begun(self) -> bool:
        """Whether the processes have met."""
        return self._thread is not None

    def end(self) -> None:
        """Give no more signs; what others have warned of until now is shown."""
        self._over.set()
        if self._thread:
            self._thread.join(self._every)
        with suppress(Exception):  # of torch: whoever keeps the store is gone
            self._show_others(self._sent())

    def warned(
        self, message: Warning | str, category: type[Warning], filename: str, lineno: int, *args: Any, **kwargs: Any
    ) -> None:
        """What to do with a warning of this process, as `warnings.showwarning`."""
        ours = issubclass(category, GrpoEnvWarning)
        key = str(message) if ours else f"{filename}:{lineno}"  # a library may put a device into each
        with self._lock:
            if ours and key in self._shown:
                return
            self._shown.add(key)
            if self.rank:
                text = str(message) if ours else f"{filename}:{lineno}: {category.__name__}: {message}"
                one = {"rank": self.rank, "key": key, "text": text}
                self._send(one) if self._store else self._kept.append(one)
                return
        self._show(message, category, filename, lineno, *args, **kwargs)

    def who_is_late(self, hint: str) -> LateProcessError:
        """The error of a process that has waited for others in vain."""
        seconds = self._patience
        if not self._store:
            return LateProcessError(f"Not all of {self.processes} processes came within {seconds:.0f} s.", hint)
        try:
            self._store.set(f"{_KEYS}/waited/{self.rank}", "1")
            others = [rank for rank in range(self.processes) if rank != self.rank]
            before = {rank: self._count(f"alive/{rank}") for rank in others}
            silent, end = others, time.monotonic() + 5 * self._every
            while silent and time.monotonic() < end:
                time.sleep(self._every / 4)
                silent = [rank for rank in silent if self._count(f"alive/{rank}") == before[rank]]
            late = [rank for rank in others if not self._store.check([f"{_KEYS}/waited/{rank}"])]
        except Exception:  # of torch: whoever keeps the store is gone
            return LateProcessError(f"The other processes cannot be reached any more, after {seconds:.0f} s.", hint)
        who = listed(silent or late or others, self.processes)
        if silent:
            what = f"{who} gave no sign of life, and the others waited {seconds:.0f} s (--ddp-timeout)"
            hint = f"It is stopped, or its machine hangs. {hint}"
        else:
            what = f"{who} kept the others waiting for more than {seconds:.0f} s (--ddp-timeout)"
            hint = f"Do episodes take so long? Then give a longer --ddp-timeout. {hint}"
        return LateProcessError(f"{what}.", hint)

    def _run(self) -> None:
        with suppress(Exception):  # as above
            while not self._over.is_set():
                known = self._sent()
                self._store.add(f"{_KEYS}/alive/{self.rank}", 1)
                self._over.wait(self._every)
                self._show_others(known)  # a while after they came: the first process may warn of the same

    def _send(self, one: dict[str, Any]) -> None:
        with suppress(Exception):  # as above
            place = self._store.add(f"{_KEYS}/warnings", 1)
            self._store.set(f"{_KEYS}/warning/{place}", json.dumps(one))

    def _sent(self) -> int:
        return self._count("warnings") if self._store and not self.rank else 0

    def _show_others(self, count: int) -> None:
        while self._read < count:
            self._read += 1
            one = json.loads(self._store.get(f"{_KEYS}/warning/{self._read}"))
            with self._lock:
                known = one["key"] in self._shown
                self._shown.add(one["key"])
            if not known:
                text = f"Process {one['rank']} of {self.processes}: {one['text']}"
                self._show(GrpoEnvWarning(text), GrpoEnvWarning, __file__, 0)

    def _count(self, name: str) -> int:
        return int(self._store.add(f"{_KEYS}/{name}", 0))


def ran_out_of_time(exc: BaseException | None) -> bool:
    """Whether an error, or what it came from, is a collective operation for which not all processes came."""
    while exc is not None:
        text = str(exc)
        if "imed out" in text and ("gloo" in text or type(exc).__module__ == "torch.distributed"):
            return True
        exc = exc.__cause__ or exc.__context__
    return False


_LOST = (
    "Connection closed by peer", "Connection reset by peer", "Broken pipe", "remote process exited",
    "Connection was likely closed",
)  # fmt: skip
"""What collective operations of torch say where the process at the other end has ended."""


def lost_another(exc: BaseException | None) -> bool:
    """Whether an error, or what it came from, is a collective operation during which another process ended."""
    while exc is not None:
        text = str(exc)
        of_torch = "gloo" in text or type(exc).__module__.startswith("torch.")
        if of_torch and any(known in text for known in _LOST):
            return True
        exc = exc.__cause__ or exc.__context__
    return False


def listed(found: list[int], processes: int) -> str:
    """`Process 1 of 2`, or `Processes 1, 3 of 4`."""
    names = ", ".join(map(str, found))
    return f"Process{'es' * (len(found) > 1)} {names} of {processes}"
