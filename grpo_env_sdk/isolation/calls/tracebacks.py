"""Whose code raised an error: the author's frames of a traceback, and where a function or class is defined."""

import inspect
import os
import re
import sys
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from grpo_env_sdk.isolation.calls.deadline import raised_there
from grpo_env_sdk.isolation.values.env_values import redacted
from grpo_env_sdk.isolation.values.error_text import MOST_CHARS, cut, error_text, type_name

_SDK = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_STDLIB = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_SITE = f"{os.sep}site-packages{os.sep}"
_FRAME = re.compile(r'^  File "([^"]+)", line (\d+)[^\n]*(?:\n    (\S.*))?', re.MULTILINE)
_MOST_TRACEBACK = 10_000
_SYNTAX = (SyntaxError, IndentationError, TabError)
_plugins: set[str] = set()
_shown_from: list[str] = []


def note_plugin(place: str) -> None:
    """Count the code in a folder or file as a plugin's, not as an environment author's."""
    _plugins.add(place)


def relative_to(folder: str) -> None:
    """Show files relative to a folder that is not the working directory, as in a worker."""
    _shown_from[:] = [folder]


def is_author(filename: str) -> bool:
    """Whether a file belongs neither to the SDK, nor to a plugin, nor to Python."""
    return not filename.startswith(tuple(_plugins)) and _is_foreign(filename)


def author_frames(trace: TracebackType | None) -> list[traceback.FrameSummary]:
    """The frames of the author's code and of libraries, outermost first."""
    return [frame for frame in traceback.extract_tb(trace) if is_author(frame.filename)]


def raised_at(exc: BaseException) -> str:
    """`hotel.py:31` for the innermost frame of the author's code, not of libraries it calls, or an empty string."""
    return innermost(author_frames(exc.__traceback__))


def innermost(frames: list[traceback.FrameSummary]) -> str:
    """`hotel.py:31` for the innermost frame in the same package as the outermost, or an empty string."""
    own = [frame for frame in frames if _package(frame.filename) == _package(frames[0].filename)]
    return f"{_short(own[-1].filename)}:{own[-1].lineno}" if own else ""


def place_in(trace: str) -> str:
    """As `raised_at`, from what `short_traceback` gave."""
    file, number, _ = _own_frame(trace)
    return f"{_short(file)}:{number}" if file else ""


def line_in(trace: str) -> str:
    """The line of code at `place_in`, or an empty string."""
    return _own_frame(trace)[2]


def _own_frame(trace: str) -> tuple[str, str, str]:
    """The file, number and code of the innermost frame in the package of the outermost one."""
    frames = _FRAME.findall(trace)
    own = [frame for frame in frames if _package(frame[0]) == _package(frames[0][0])]
    return own[-1] if own else ("", "", "")


def short_traceback(exc: BaseException) -> str:
    """The traceback without frames of the SDK and of Python."""
    return _formatted(author_frames(exc.__traceback__), exc)


def foreign_traceback(exc: BaseException) -> str:
    """The same with the frames of plugins, for what they raise outside of environment code."""
    return _formatted([frame for frame in traceback.extract_tb(exc.__traceback__) if _is_foreign(frame.filename)], exc)


def _formatted(frames: list[traceback.FrameSummary], exc: BaseException) -> str:
    return cut(redacted("".join([*traceback.format_list(frames), *_last_lines(exc)])).rstrip(), _MOST_TRACEBACK)


def one_line(exc: BaseException) -> str:
    """The message of an error on one line, at most 500 characters."""
    return " ".join(redacted(error_text(exc)).split())[:500]


def describe_error(exc: BaseException) -> str:
    """`KeyError: 'case_idx' (hotel.py:31)`, on one line."""
    exc = raised_there(exc)
    if type(exc) in _SYNTAX and (told := _syntax_error(exc)):
        return told
    text = one_line(exc)
    frames = traceback.extract_tb(exc.__traceback__)
    place = raised_at(exc) or innermost([frame for frame in frames if _is_foreign(frame.filename)])
    return type_name(exc) + (f": {text}" if text else "") + (f" ({place})" if place else "")


def _syntax_error(exc: Any) -> str:
    """`SyntaxError: invalid syntax (hotel.py:31)` where the code has a file: its place, and not that of its import."""
    if not isinstance(exc.filename, str) or exc.filename.startswith("<") or not isinstance(exc.lineno, int):
        return ""
    text = " ".join(redacted(cut(str(exc.msg), MOST_CHARS)).split())[:500]
    return f"{type_name(exc)}: {text} ({_short(exc.filename)}:{exc.lineno})"


def _last_lines(exc: BaseException) -> Iterator[str]:
    """`pkg.module.BookingError: no room`, with the notes, or what Python shows of a syntax error."""
    if type(exc) in _SYNTAX:
        yield from traceback.format_exception_only(exc)
        return
    module = type.__dict__["__module__"].__get__(type(exc))
    prefix = f"{module}." if isinstance(module, str) and module not in ("builtins", "__main__") else ""
    text = error_text(exc)
    yield f"{prefix}{type_name(exc)}" + (f": {text}" if text else "") + "\n"
    notes = vars(exc).get("__notes__")  # never asking a `__getattr__` of its class
    yield from (f"{note}\n" for note in (notes if type(notes) is list else ()) if type(note) is str)


def defined_at(thing: Any) -> str:
    """`hotel.py:31` for a function, method or class, or an empty string if it has no source."""
    thing = inspect.unwrap(thing) if callable(thing) else type(thing)
    try:
        filename = inspect.getsourcefile(thing)
        _, line = inspect.getsourcelines(thing)
    except (TypeError, OSError):
        return ""
    return f"{_short(filename or '')}:{line}"


def called_at() -> str:
    """`hotel.py:31` for the call of the author's that led here, or an empty string."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith("<") and is_author(file):
            return f"{_short(file)}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]  # None after the last
    return ""


def name_of(env: Any) -> str:
    """The name of an environment in messages: its module and class."""
    cls = env if isinstance(env, type) else type(env)
    return f"{cls.__module__}:{cls.__qualname__}"


def _is_foreign(filename: str) -> bool:
    """Whether a file belongs neither to the SDK nor to Python."""
    if filename.startswith((_SDK, "<")) or filename.endswith((".pxi", ".pyx")):
        return False
    return not filename.startswith(_STDLIB) or _SITE in filename


def _package(filename: str) -> str:
    """The installed package that a file belongs to; empty for files outside site-packages."""
    return filename.rpartition(_SITE)[2].partition(os.sep)[0] if _SITE in filename else ""


def _short(filename: str) -> str:
    """The path relative to the working directory, unless it is above it."""
    try:
        relative = os.path.relpath(filename, *_shown_from)
    except ValueError:  # another drive on Windows
        return filename
    return filename if relative.startswith("..") else relative
