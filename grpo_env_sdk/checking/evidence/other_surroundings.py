"""Another time zone, rank and clock, so that what depends on them shows in a child process."""

import datetime
import time
from typing import Any

LATER = 400 * 86_400.0 + 12_345.0
"""How many seconds a shifted clock is ahead."""
ZONE = {"TZ": "Pacific/Kiritimati"}
RANK = {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2"}
CLOCK = "another date"
KINDS: dict[str, dict[str, str]] = {"another time zone (TZ)": ZONE, "another RANK and WORLD_SIZE": RANK, CLOCK: {}}
"""What a process can have that others have not, and the environment variables of it."""


def environ_of(kinds: tuple[str, ...]) -> dict[str, str]:
    """The environment variables for these kinds of surroundings."""
    return {name: value for kind in kinds for name, value in KINDS[kind].items()}


def shift_clock() -> None:
    """Let `time.time` and the present of `datetime` be more than a year ahead, in this process from now on."""
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
