"""A note when async code of an environment blocks the event loop, and so all episodes."""

import asyncio
import contextlib
import os
import sys
import threading
import time
import traceback
from typing import Self

from grpo_env_sdk.isolation.tracebacks import innermost, is_author

_ASYNCIO = os.path.dirname(asyncio.__file__)
_CHECK_EVERY = 0.25
"""Seconds between two checks, at most a tenth of the patience."""


class LoopWatch:
    """Watches the running loop from a thread, as no deadline fires while it is blocked; a context manager."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._loop = asyncio.get_running_loop()
        self._whose = threading.get_ident()
        self._over = threading.Event()
        self._beat = time.monotonic()

    def __enter__(self) -> Self:
        threading.Thread(target=self._watch, name="grpo-env loop watch", daemon=True).start()
        return self

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        self._over.set()

    def _watch(self) -> None:
        noted = False
        while not self._over.wait(min(_CHECK_EVERY, self._patience / 10)):
            held = time.monotonic() - self._beat >= self._patience
            if held and not noted:
                print(f"note: {self._note()}", file=sys.stderr, flush=True)
            noted = held
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                self._loop.call_soon_threadsafe(self._note_beat)

    def _note_beat(self) -> None:
        self._beat = time.monotonic()

    def _note(self) -> str:
        stack = traceback.extract_stack(sys._current_frames()[self._whose])
        below = max((place for place, frame in enumerate(stack) if frame.filename.startswith(_ASYNCIO)), default=-1)
        place = innermost([frame for frame in stack[below + 1 :] if is_author(frame.filename)])
        return (
            f"No progress for {self._patience:g} s: async code{place and f' ({place})'} does not await and blocks all "
            "episodes; no deadline can end it. Ctrl-C twice exits and keeps finished episodes."
        )
