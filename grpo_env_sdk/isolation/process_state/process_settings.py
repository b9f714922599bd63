"""What code can change for its whole process, so that all that follows in it would be other than in a new one."""

import gc
import locale
import os
import resource
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from grpo_env_sdk.isolation.author_code.python_functions import PythonFunctions

_LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_") and name != "RLIMIT_CPU"]

_SIGNALS = (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGALRM, signal.SIGCHLD, signal.SIGUSR1,
    signal.SIGXCPU,
)  # fmt: skip
_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
_AFFINITY: Callable[[int], Any] = getattr(os, "sched_getaffinity", lambda pid: None)
"""The processors that a process may use; not on macOS."""


class ProcessSettings:
    """The settings of this process as they are now, to be compared with later ones."""

    def __init__(self, functions: PythonFunctions | None = None) -> None:
        """`functions` are those from before this process was forked; they count if nothing was replaced meanwhile."""
        self.functions = functions if functions is not None and not functions.changed else PythonFunctions()
        self._settings = _settings()
        self._path, self._finders, self._modules = [*sys.path], [*sys.meta_path], len(sys.modules)
        self._filters = [*warnings.filters]

    @property
    def changed(self) -> bool:
        """Whether code has changed a setting, replaced a function of Python's own, or taken away what imports need."""
        if self.functions.changed:  # first, as all else here is computed with such functions
            return True
        try:
            return (
                _settings() != self._settings
                or not {*self._path} <= {*sys.path}
                or any(finder not in sys.meta_path for finder in self._finders)
                or len(sys.modules) < self._modules
                or any(found[0] == "error" and found not in self._filters for found in warnings.filters)
            )
        except Exception:  # what it is computed with was changed
            return True


def _settings() -> tuple[Any, ...]:
    mask = os.umask(0o077)
    os.umask(mask)
    return (
        mask, sys.getrecursionlimit(), sys.getswitchinterval(), gc.isenabled(), gc.get_threshold(),
        threading.gettrace(), threading.getprofile(), locale.setlocale(locale.LC_ALL), socket.getdefaulttimeout(),
        id(sys.stdin), id(sys.stdout), id(sys.stderr), [any(signal.getitimer(which)) for which in _TIMERS],
        [resource.getrlimit(which) for which in _LIMITS], [signal.getsignal(each) for each in _SIGNALS],
        os.getpriority(os.PRIO_PROCESS, 0), signal.pthread_sigmask(signal.SIG_BLOCK, ()), _AFFINITY(0),
        sys.get_int_max_str_digits(), time.timezone, time.tzname,
    )  # fmt: skip
