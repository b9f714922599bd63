"""Every error the SDK raises: what happened, with the value, and then the next step."""

import re
from collections.abc import Iterable
from typing import Any

_ENDS = (".", "!", "?", ":", ";", ",", "\n")
"""What a message may end with; one that ends with words of others gets a full stop before the next step."""

_NEAR = 0.61
"""How alike two names are that may be confused: `nested` and `seed` share three letters of ten, which is 0.6."""


class GrpoEnvError(Exception):
    """An error with what happened in `message` and the next step in `hint`; `str` gives both on one line."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        ends = not (self.message and self.hint) or self.message.endswith(_ENDS)
        return f"{self.message}{'.' * (not ends)} {self.hint}".strip()

    def as_json(self) -> dict[str, Any]:
        """The error as commands print it with `--json`."""
        return {"error": {"type": type(self).__name__, "message": self.message, "hint": self.hint}}


class UnknownNameError(GrpoEnvError, LookupError):
    """An unknown name of an environment, command, column or policy."""


class AmbiguousNameError(GrpoEnvError, LookupError):
    """A name that more than one installed package provides."""


class BrokenPackageError(GrpoEnvError, ImportError):
    """An installed package whose environment or plugin cannot be imported."""


class ConfigError(GrpoEnvError, ValueError):
    """Config that an environment's constructor does not accept."""


class ContractError(GrpoEnvError, TypeError):
    """A class that breaks the contract of an environment."""


class DatasetError(GrpoEnvError, ValueError):
    """A dataset that cannot be built or used."""


class ScoreError(GrpoEnvError, ValueError):
    """A reward that is not a finite number: NaN, infinity, a string."""


class ToolSchemaError(GrpoEnvError, ValueError):
    """A tool with an invalid definition; `faults` lists each fault with its JSON path."""

    def __init__(self, message: str, hint: str = "", faults: Iterable[str] = ()) -> None:
        super().__init__(message, hint)
        self.faults = tuple(faults)

    def __str__(self) -> str:
        return "\n".join(self.faults) or super().__str__()

    def as_json(self) -> dict[str, Any]:
        """The error as plain data, with each fault."""
        data = super().as_json()
        return {"error": {**data["error"], "faults": list(self.faults)}}


class EnvironmentFailedError(GrpoEnvError, RuntimeError):
    """The environment's own code raised, and there is no result to go on with."""


class DeadlineError(GrpoEnvError, TimeoutError):
    """A call that did not return before its deadline."""


class ProcessStuckError(GrpoEnvError, RuntimeError):
    """Calls that never came back hold what a run needs to go on: too many threads, or state of the whole process."""


class NotOpenError(GrpoEnvError, AttributeError):
    """`self.shared` of an instance before anything was opened."""


class EpisodeOverError(GrpoEnvError, RuntimeError):
    """A step in an episode that has ended or was never reset."""


class UsageError(GrpoEnvError, ValueError):
    """Invalid arguments of a command or function, or an invalid file that they name."""


class GrpoEnvWarning(UserWarning):
    """A warning that the command line prints as a note, once."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`Did you mean 'hotel-v1'?` if a known name is close, else an empty string."""
    import difflib  # takes 5 ms, so only mistakes pay for it

    names = sorted(set(known))
    folded = {candidate.casefold(): candidate for candidate in reversed(names)}
    close = difflib.get_close_matches(name.casefold(), folded, n=len(folded) or 1, cutoff=_NEAR)
    if close:  # drop guesses that are much worse than the best
        likeness = {key: difflib.SequenceMatcher(None, key, name.casefold()).ratio() for key in close}
        close = [key for key in close if likeness[key] > 0.9 * likeness[close[0]]]
        close.sort(key=lambda key: (-likeness[key], _natural(key)))
    else:
        close = sorted((key for key in folded if len(name) > 2 and name.casefold() in key), key=_natural)
    if not close:
        return ""
    return f"Did you mean {' or '.join(repr(folded[key]) for key in close[:3])}?"


def _natural(name: str) -> list[tuple[int, str]]:
    """A key by which `task2` is before `task10`."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d+)", name)]
