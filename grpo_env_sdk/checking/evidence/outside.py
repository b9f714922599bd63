"""What an environment holds or uses beyond an episode: two processes would share it, or each have its own."""

import fcntl
import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_EVENTS = {"socket.connect", "socket.bind", "subprocess.Popen", "os.system", "os.mkdir", "os.rename", "sqlite3.connect"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_FORKS_BADLY = ("torch", "tensorflow", "jax", "grpc", "ray")
"""Packages with threads or devices of their own that a copy of the process would not have."""
_UNTIL_ENDED = 0.5


class Outside:
    """Knows what the process held at the beginning, and watches what episodes use."""

    def __init__(self) -> None:
        self._before = _descriptors()
        self._watching = False
        self.used = False
        """Whether code wrote, connected or started something while it was watched, or kept something."""

    @contextmanager
    def watched(self, sizes: Callable[[], Mapping[str, int]]) -> Iterator[None]:
        """Note what is used meanwhile, and whether what is kept has another size afterwards."""
        sys.addaudithook(self._note)  # a hook stays for ever
        before, self._watching = sizes(), True
        try:
            yield
        finally:
            self._watching = False
        after = sizes()
        self.used = self.used or any(after.get(name, size) != size for name, size in before.items())

    def holds(self, children: int) -> bool:
        """Whether the process has threads, more than so many children, connections, or files that can be written."""
        ends = time.monotonic() + _UNTIL_ENDED
        while threading.active_count() > 1:  # those of the last episode end by themselves
            if time.monotonic() > ends:
                return True
            time.sleep(0.005)
        return self.opened or _children() > children or any(map(sys.modules.get, _FORKS_BADLY))

    @property
    def opened(self) -> bool:
        """Whether there are new connections, or files that can be written."""
        return any(map(_is_shared, _descriptors() - self._before))

    def _note(self, event: str, args: tuple[Any, ...]) -> None:
        if self._watching and (event in _EVENTS or (event == "open" and _writes(*args))):
            self.used = True


def _writes(path: Any, _: Any, flags: Any) -> bool:
    return isinstance(flags, int) and bool(flags & _WRITING) and "__pycache__" not in str(path) and path != os.devnull


def _descriptors() -> set[int]:
    listed = os.listdir("/proc/self/fd")
    return {int(name) for name in listed if os.path.lexists(f"/proc/self/fd/{name}")}  # without the one that lists


def _is_shared(descriptor: int) -> bool:
    """Whether what a copy of this process does with a descriptor shows in this one."""
    with suppress(OSError):  # closed meanwhile
        mode = os.fstat(descriptor).st_mode
        is_file = stat.S_ISREG(mode) or stat.S_ISCHR(mode)
        return not is_file or fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
    return False


def _children() -> int:
    return sum(len(path.read_text().split()) for path in Path("/proc/self/task").glob("*/children"))
