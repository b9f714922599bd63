"""A fence around code of others that draws from the process's chance, prints, or sets the precision of decimals."""

import contextlib
import decimal
import io
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from grpo_env_sdk.isolation.random_state import preserved_random_state, random_state, restore, seed_all

HELD_TOO_LONG = 3.0
"""Seconds after which whoever is inside is taken to hang, and is left behind with its lock."""

_gate = threading.RLock()


class IsolatedGlobalState:
    """Gives the code inside a global random state of its own, which goes on from one visit to the next.

    fence = IsolatedGlobalState(seed)
    with fence.inside():
        reward = their_env.step(action)
    """

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed
        self._state: Any = None

    def seed(self, seed: int) -> None:
        """Let what is run from now on draw as after this seed."""
        self._seed, self._state = seed, None

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """While this lasts no other fence is entered, prints go to stderr, and chance is the fence's own."""
        with alone(), decimal.localcontext(decimal.DefaultContext), preserved_random_state():
            if self._state is not None:
                restore(self._state)
            elif self._seed is not None:
                seed_all(self._seed)
            try:
                yield
            finally:
                self._state = random_state()


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """One thread at a time; what it prints goes to stderr, and what others print goes where it did."""
    gate = _enter()
    shown = sys.stdout
    sys.stdout = _Aside(shown)
    try:
        yield
    finally:
        sys.stdout = shown
        gate.release()


def needs_fence(work: Callable[[], Any]) -> bool:
    """Whether a piece of work takes numbers from the global random state, which is put back afterwards, or prints."""
    with alone(), contextlib.redirect_stdout(io.StringIO()) as printed, preserved_random_state():
        before = pickle.dumps(random_state())
        work()
        return bool(printed.getvalue()) or pickle.dumps(random_state()) != before


def _enter() -> Any:
    """The lock, taken; a new one where a thread hangs inside, as it would lock out every other for ever."""
    global _gate
    gate = _gate
    if not gate.acquire(timeout=HELD_TOO_LONG):
        gate = _gate = threading.RLock()
        gate.acquire()
    return gate


class _Aside:
    """Standard output without what the thread that made this prints."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._thread = threading.get_ident()

    def write(self, text: str) -> int:
        """Pass on what any other thread prints."""
        return (sys.stderr if threading.get_ident() == self._thread else self._stream).write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
