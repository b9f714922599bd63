"""Another time zone, rank, user and clock, so that what depends on them shows in a child process."""

import contextlib
import datetime
import os
import re
import time
from collections.abc import Iterable
from typing import Any

from grpo_env_sdk.checking.evidence.imported_sources import sources_of

LATER = 400 * 86_400.0 + 12_345.0
"""How many seconds a shifted clock is ahead."""
_BUILDS_SPLITS = re.compile(r"\bdatasets\b|\bsplit\s*(?::[^=\n]*)?=")
ZONE = {"TZ": "Pacific/Kiritimati"}
RANK = {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2"}
WORDS = {"LANGUAGE": "de_DE"}
"""What gettext and Babel read first, and `setlocale` does not: other locales may not be installed."""
ZONED, RANKED, CLOCK = "another time zone (TZ)", "another RANK and WORLD_SIZE", "another date (the clock)"
SPOKEN, HOUSED = "another language (LANGUAGE)", "another HOME and USER"
PERSON = {"USER": "somebody", "LOGNAME": "somebody"}
KINDS: dict[str, dict[str, str]] = {ZONED: ZONE, RANKED: RANK, SPOKEN: WORDS, HOUSED: PERSON, CLOCK: {}}
"""What a process can have that others have not, and the environment variables of it."""
NOT_LATER = tuple(kind for kind in KINDS if kind != CLOCK)


def environ_of(kinds: tuple[str, ...]) -> dict[str, str]:
    """The environment variables for these kinds of surroundings."""
    return {name: value for kind in kinds for name, value in KINDS[kind].items()}


def enter(kinds: Iterable[str], root: str, entry_point: str, builds: bool = False) -> None:
    """Change in this process, from now on, what environment variables given at its start cannot; `root` is its own."""
    if HOUSED in kinds:
        _move_home(os.path.join(root, "home"))
    if CLOCK in kinds:
        _shift_clock(entry_point, builds)


def _move_home(home: str) -> None:
    """Let HOME be a new folder without files, with links to the folders in the old one, as they hold caches."""
    old = os.path.expanduser("~")
    caches = os.environ.setdefault("XDG_CACHE_HOME", os.path.join(old, ".cache"))
    os.environ.setdefault("HF_HOME", os.path.join(caches, "huggingface"))
    os.environ["HOME"] = home
    os.mkdir(home)
    with contextlib.suppress(OSError), os.scandir(old) as entries:
        for entry in entries:
            if entry.is_dir():
                os.symlink(entry.path, os.path.join(home, entry.name))


def _shift_clock(entry_point: str, builds: bool) -> None:
    """Let `time.time` and the present of `datetime` be more than a year ahead, in this process from now on."""
    if builds or _needs_datasets(entry_point):
        import datasets  # noqa: F401  # its extension modules do not load once the classes of `datetime` are others
    real_time, now = time.time, datetime.datetime.now
    ahead = datetime.timedelta(seconds=LATER)

    class _Like(type):
        """Classes whose instances are those of the real ones."""

        def __instancecheck__(cls, other: Any) -> bool:
            return isinstance(other, cls.__mro__[1])

    class Later(datetime.datetime, metaclass=_Like):
        """A datetime whose present is later."""

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return now(tz) + ahead

        @classmethod
        def utcnow(cls) -> Any:
            return now(datetime.UTC).replace(tzinfo=None) + ahead

        @classmethod
        def today(cls) -> Any:
            return now() + ahead

    class LaterDate(datetime.date, metaclass=_Like):
        """A date whose today is later."""

        @classmethod
        def today(cls) -> Any:
            return (now() + ahead).date()

    datetime.datetime, datetime.date = Later, LaterDate  # type: ignore[misc]  # in a child that ends soon
    time.time = lambda: real_time() + LATER


def _needs_datasets(entry_point: str) -> bool:
    """Whether building the rows may import `datasets`: a file of the environment names it, or a split."""
    return any(_BUILDS_SPLITS.search(source) for source in sources_of(entry_point.partition(":")[0]))
