"""Regular expressions that are compiled when they are first used: one process imports about a thousand of checks."""

import re
from typing import Any, cast


class _LatePattern:
    """Stands for a compiled pattern, and is as quick as one from the second use of a method on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, without the work as long as nothing is searched."""
    return cast(re.Pattern[str], _LatePattern(pattern, flags))
