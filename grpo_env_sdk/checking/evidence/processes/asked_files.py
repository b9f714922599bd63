"""Files that an environment's own code looks up in the working directory or HOME and that are missing there."""

import contextlib
import functools
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from grpo_env_sdk.checking.evidence.processes.import_watch import SITE_PACKAGES, STDLIB, WRITING

_CHANGES = {"os.mkdir": 0, "os.rename": 1, "os.remove": 0}
"""Events by which a file is its own, and the argument that names it."""
MOST, MOST_BYTES = 8, 1_000_000
"""So many of them are created in another process, as they are here if they are not larger."""
_CONTENTS = (
    "other\nwords\nof\nanother\nfolder\n",
    '["other", "words", "of", "another"]',
    '{"other": "words"}',
)


class AskedFiles:
    """Notes the missing files that the code of one package asks for, from now on to the end of this process."""

    def __init__(self, entry_point: str) -> None:
        self._package = entry_point.partition(":")[0].partition(".")[0]
        self._missing: dict[str, None] = {}
        self._written: set[str] = set()
        self._stat = os.stat
        os.stat = self._noted(os.stat)
        sys.addaudithook(self._hook)

    @property
    def names(self) -> list[str]:
        """Their paths, relative or after `~/`; what was written then, such as a cache, is left out with its folder."""
        return [name for name in self._missing if not self._written.intersection([name, *_parents(name)])][:MOST]

    def _noted(self, stat: Any) -> Any:
        @functools.wraps(stat)
        def noted(path: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return stat(path, *args, **kwargs)
            except FileNotFoundError:
                self._note(path)
                raise

        for functions in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if stat in functions:
                functions.add(noted)
        return noted

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[2], int):
            if args[2] & WRITING:
                self._written.add(_name_of(args[0]) or "")
            elif not self._exists(args[0]):
                self._note(args[0])
        elif event in _CHANGES:
            self._written.add(_name_of(args[_CHANGES[event]]) or "")

    def _exists(self, path: Any) -> bool:
        try:
            self._stat(path)
        except OSError:
            return False
        return True

    def _note(self, path: Any) -> None:
        if (name := _name_of(path)) and self._is_cause():
            self._missing[name] = None

    def _is_cause(self) -> bool:
        """Whether the package's own code asks, with nothing but the standard library in between."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if frame.f_globals.get("__name__", "").partition(".")[0] == self._package:
                return True
            if file != __file__ and (SITE_PACKAGES in file or not file.startswith(("<", STDLIB))):
                return False
            frame = frame.f_back
        return False


def _name_of(path: Any) -> str | None:
    """The path as seen from the working directory, or after `~/`; None if it is elsewhere."""
    try:
        text = os.path.normpath(os.fsdecode(path))
    except (TypeError, ValueError):
        return None
    for folder, start in ((os.getcwd(), ""), (os.path.expanduser("~"), "~/")):
        if text.startswith(folder + os.sep):
            return start + text[len(folder) + 1 :]
    return None if os.path.isabs(text) or text == "." or text.startswith(os.path.join("..", "..")) else text


def _parents(name: str) -> list[str]:
    return [str(folder) for folder in Path(name).parents]


def versions_of(names: Sequence[str], folder: str) -> list[dict[str, str]]:
    """What these files may hold in another folder: what they hold in this one, or else some words in a usual form."""
    real = {name: text for name in names if (text := _text_in(folder, name)) is not None}
    versions = [{name: real.get(name, content) for name in names} for content in _CONTENTS]
    return versions if len(real) < len(names) else versions[:1]


def create_files(files: Mapping[str, str], root: str) -> None:
    """Create these files in this process's working directory and HOME, as far as those are in the folder `root`."""
    root = os.path.realpath(root) + os.sep
    for name, content in files.items():
        path = os.path.realpath(os.path.expanduser(name))  # links lead out of HOME
        if path.startswith(root) and not os.path.exists(path):
            with contextlib.suppress(OSError):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                Path(path).write_text(content, encoding="utf-8")


def _text_in(folder: str, name: str) -> str | None:
    file = Path(folder, name)
    try:
        return file.read_text(encoding="utf-8") if file.stat().st_size < MOST_BYTES else None
    except (OSError, ValueError):
        return None
