"""Isolation of code that uses state of the whole process: the random state, stdout, the precision of decimals."""

import contextlib
import decimal
import inspect
import io
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.calls.process_lock import process_lock
from grpo_env_sdk.isolation.process_state.random_state import preserved_random_state, random_state, restore, seed_all


class IsolatedGlobalState:
    """Gives the code inside a random state of its own, which is kept from one call to the next.

    isolated = IsolatedGlobalState(seed)
    with isolated.inside():
        reward = their_env.step(action)
    """

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed
        self._state: Any = None

    def seed(self, seed: int) -> None:
        """Start the random state again from a seed."""
        self._seed, self._state = seed, None

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Run one thread at a time, with prints on stderr and this object's own random state."""
        with exclusive(), decimal.localcontext(decimal.DefaultContext), preserved_random_state():
            if self._state is not None:
                restore(self._state)
            elif self._seed is not None:
                seed_all(self._seed)
            try:
                yield
            finally:
                self._state = random_state()

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """What a function returns inside; what it awaits is awaited inside too."""
        with self.inside():
            result = function(*args)
            return run_coroutine(result) if inspect.isawaitable(result) else result


@contextlib.contextmanager
def exclusive() -> Iterator[None]:
    """Run one thread at a time, with what it prints on stderr; prints of other threads still go to stdout."""
    with process_lock.held():
        stdout = sys.stdout
        sys.stdout = _StdoutOfOtherThreads(stdout)
        try:
            yield
        finally:
            sys.stdout = stdout


def needs_isolation(work: Callable[[], Any]) -> bool:
    """Whether a call prints, or draws from the global random state (which is restored afterwards)."""
    with exclusive(), contextlib.redirect_stdout(io.StringIO()) as printed, preserved_random_state():
        before = pickle.dumps(random_state())
        work()
        return bool(printed.getvalue()) or pickle.dumps(random_state()) != before


class _StdoutOfOtherThreads:
    """Standard output, without what the thread that created this object prints: that goes to stderr."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._thread = threading.get_ident()

    def write(self, text: str) -> int:
        """Write to stderr for the thread that created this, to stdout for others."""
        return (sys.stderr if threading.get_ident() == self._thread else self._stream).write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
