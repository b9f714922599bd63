"""Whose code it was: the author's frames of a traceback, and where a function or class stands."""

import inspect
import os
import traceback
from types import TracebackType
from typing import Any

_SDK = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STDLIB = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_SITE = f"{os.sep}site-packages{os.sep}"
_plugins: set[str] = set()


def note_plugin(place: str) -> None:
    """From now on a folder or file is a plugin's, which brings no environment, and so not an author's."""
    _plugins.add(place)


def is_author(filename: str) -> bool:
    """Whether a file is neither the SDK's, nor a plugin's, nor Python's own."""
    return not filename.startswith(tuple(_plugins)) and _is_foreign(filename)


def author_frames(trace: TracebackType | None) -> list[traceback.FrameSummary]:
    """The frames of the author's code and of libraries, outermost first."""
    return [frame for frame in traceback.extract_tb(trace) if is_author(frame.filename)]


def raised_at(exc: BaseException) -> str:
    """`hotel.py:31` for the innermost frame of the author's code, libraries it calls aside, or an empty string."""
    return innermost(author_frames(exc.__traceback__))


def innermost(frames: list[traceback.FrameSummary]) -> str:
    """`hotel.py:31` for the innermost frame of the package of the outermost, or an empty string."""
    own = [frame for frame in frames if _package(frame.filename) == _package(frames[0].filename)]
    return f"{_short(own[-1].filename)}:{own[-1].lineno}" if own else ""


def short_traceback(exc: BaseException) -> str:
    """The traceback as an author wants to read it: their own frames, then what was raised."""
    lines = traceback.format_list(author_frames(exc.__traceback__))
    return "".join([*lines, *traceback.format_exception_only(exc)]).rstrip()


def one_line(exc: BaseException) -> str:
    """What an error says, on one line and not for ever."""
    return " ".join(str(exc).split())[:500]


def describe_error(exc: BaseException) -> str:
    """`KeyError: 'case_idx' (hotel.py:31)`, on one line."""
    text = one_line(exc)
    frames = traceback.extract_tb(exc.__traceback__)
    place = raised_at(exc) or innermost([frame for frame in frames if _is_foreign(frame.filename)])
    return type(exc).__name__ + (f": {text}" if text else "") + (f" ({place})" if place else "")


def defined_at(thing: Any) -> str:
    """`hotel.py:31` for a function, method or class, or an empty string where it has no source."""
    thing = inspect.unwrap(thing) if callable(thing) else type(thing)
    try:
        filename = inspect.getsourcefile(thing)
        _, line = inspect.getsourcelines(thing)
    except (TypeError, OSError):
        return ""
    return f"{_short(filename or '')}:{line}"


def name_of(env: Any) -> str:
    """What messages call an environment: its class, with its module."""
    cls = env if isinstance(env, type) else type(env)
    return f"{cls.__module__}:{cls.__qualname__}"


def _is_foreign(filename: str) -> bool:
    """Whether a file is neither the SDK's nor Python's own."""
    if filename.startswith((_SDK, "<")) or filename.endswith((".pxi", ".pyx")):
        return False
    return not filename.startswith(_STDLIB) or _SITE in filename


def _package(filename: str) -> str:
    """The installed package that a file belongs to; none for what stands in a working copy."""
    return filename.rpartition(_SITE)[2].partition(os.sep)[0] if _SITE in filename else ""


def _short(filename: str) -> str:
    """Relative where that is shorter to read, else as it stands."""
    try:
        relative = os.path.relpath(filename)
    except ValueError:  # another drive on Windows
        return filename
    return filename if relative.startswith("..") else relative
