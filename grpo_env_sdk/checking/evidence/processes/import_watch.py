"""Side effects of an environment's own code, recorded by an audit hook; those of other packages do not count."""

import os
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

STDLIB = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
SITE_PACKAGES = f"{os.sep}site-packages{os.sep}"
"""The folder of Python's own modules, and what the paths of installed ones have in them."""
_EVENTS: dict[str, Callable[..., str]] = {
    "os.chdir": lambda path, *_: f"changes the working directory to {path}",
    "os.putenv": lambda key, *_: f"sets the environment variable {_text(key)}",
    "os.unsetenv": lambda key, *_: f"removes the environment variable {_text(key)}",
    "os.mkdir": lambda path, *_: f"creates the folder {path}",
    "os.remove": lambda path, *_: f"removes the file {path}",
    "os.system": lambda command, *_: f"runs the command {_text(command)}",
    "subprocess.Popen": lambda program, arguments=(), *_: (
        f"starts the process {_text(program or next(iter(arguments), None))}"
    ),
    "socket.connect": lambda _, address=None, *__: f"connects to {address}",
    "socket.getaddrinfo": lambda host, *_: f"looks up the host {_text(host)}",
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class SideEffects:
    """Records what the code of one package does meanwhile, in `found`; a context manager."""

    def __init__(self, module: str) -> None:
        self.found: list[dict[str, str]] = []
        self._package = module.partition(".")[0]
        self._on = False
        self._busy = threading.local()

    def __enter__(self) -> "SideEffects":
        self._stdout, sys.stdout = sys.stdout, _Printed(self)
        sys.addaudithook(self._hook)
        self._on = True
        return self

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        self._on = False
        sys.stdout = self._stdout

    def around(self, function: Callable[..., Any], what: str) -> Callable[..., Any]:
        """The function, recorded whenever it is called."""

        def called(*args: Any, **kwargs: Any) -> Any:
            self.note(what)
            return function(*args, **kwargs)

        return called

    def note(self, what: str) -> None:
        """Record a side effect, with the line of the package's code that caused it."""
        if not self._on or getattr(self._busy, "now", False):
            return
        self._busy.now = True
        try:
            place = self._place_of_cause(sys._getframe(1))
            known = any(effect["what"] == what for effect in self.found)
            if place and not known:
                self.found.append({"what": what, "place": place})
        finally:
            self._busy.now = False

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._on:
            return
        if event == "open" and isinstance(args[0], str) and isinstance(args[2], int) and args[2] & WRITING:
            if "__pycache__" not in args[0] and args[0] != os.devnull:
                self.note(f"writes the file {args[0]}")
        elif event in _EVENTS:
            self.note(_EVENTS[event](*args))

    def _place_of_cause(self, frame: FrameType | None) -> str:
        """`hotel.py:3` if the package's code caused it, with no import of another package in between."""
        while frame is not None:
            name = frame.f_globals.get("__name__", "")
            if name.partition(".")[0] == self._package:
                file = frame.f_code.co_filename
                return f"{os.path.basename(file)}:{frame.f_lineno}"
            file = frame.f_code.co_filename
            outside = not file.startswith(("<", STDLIB)) or SITE_PACKAGES in file
            if frame.f_code.co_name == "<module>" and (outside or file.startswith(STDLIB)):
                return ""  # imports of other packages do not count
            frame = frame.f_back
        return ""


class _Printed:
    """Replaces stdout, and records that something was printed."""

    def __init__(self, effects: SideEffects) -> None:
        self._effects = effects

    def write(self, text: str) -> int:
        if text.strip():
            self._effects.note("prints to stdout")
        return len(text)

    def flush(self) -> None:
        """Nothing is buffered."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._effects._stdout, name)


def _text(value: Any) -> str:
    return os.fsdecode(value) if isinstance(value, bytes | str) else str(value)
