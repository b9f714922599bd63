"""Another time zone, rank, user and clock, so that what depends on them shows in a child process."""

import contextlib
import os
from collections.abc import Iterable

from grpo_env_sdk.checking.evidence.processes.later_clock import shift_clock

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


def enter(kinds: Iterable[str], root: str) -> None:
    """Change in this process, from now on, what environment variables given at its start cannot; `root` is its own."""
    if HOUSED in kinds:
        _move_home(os.path.join(root, "home"))
    if CLOCK in kinds:
        shift_clock()


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
