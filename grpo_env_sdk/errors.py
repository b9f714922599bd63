"""Every error the SDK raises: what happened, with the value, and then the next step."""

from collections.abc import Iterable
from typing import Any


class GrpoEnvError(Exception):
    """What went wrong in `message`, and what to do about it in `hint`; `str` gives both on one line."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def as_json(self) -> dict[str, Any]:
        """The error as commands print it under `--json`."""
        return {"error": {"type": type(self).__name__, "message": self.message, "hint": self.hint}}


class UnknownNameError(GrpoEnvError, LookupError):
    """A name that nothing has: an environment, a command, a column, a policy."""


class AmbiguousNameError(GrpoEnvError, LookupError):
    """A name that more than one package brings."""


class BrokenPackageError(GrpoEnvError, ImportError):
    """An installed package whose environment or plugin cannot be imported."""


class ConfigError(GrpoEnvError, ValueError):
    """Config that an environment's constructor does not take."""


class ContractError(GrpoEnvError, TypeError):
    """A class that is not an environment, or contradicts itself."""


class DatasetError(GrpoEnvError, ValueError):
    """A dataset that could not be built or used."""


class ScoreError(GrpoEnvError, ValueError):
    """A reward that is no score: NaN, infinite, a string."""


class ToolSchemaError(GrpoEnvError, ValueError):
    """A tool whose definition has faults; `faults` lists each with its JSON path."""

    def __init__(self, message: str, hint: str = "", faults: Iterable[str] = ()) -> None:
        super().__init__(message, hint)
        self.faults = tuple(faults)

    def __str__(self) -> str:
        return "\n".join(self.faults) or super().__str__()

    def as_json(self) -> dict[str, Any]:
        """As for every error, with each fault."""
        told = super().as_json()
        return {"error": {**told["error"], "faults": list(self.faults)}}


class EnvironmentFailedError(GrpoEnvError, RuntimeError):
    """An environment whose own code raised where nothing could go on without it."""


class DeadlineError(GrpoEnvError, TimeoutError):
    """A call that did not come back in the time it was given."""


class EpisodeOverError(GrpoEnvError, RuntimeError):
    """A step into an episode that has ended or was never reset."""


class UsageError(GrpoEnvError, ValueError):
    """A command line, or a file it names, that cannot be acted on."""


class GrpoEnvWarning(UserWarning):
    """Something worth saying once that stops nothing; the command line prints it as a note."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`Did you mean 'hotel-v1'?` where something close exists, else an empty string."""
    import difflib  # 5 ms that only a mistake should cost

    names = sorted(set(known))
    folded = {candidate.casefold(): candidate for candidate in reversed(names)}
    close = difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    if close:  # a far worse guess beside a good one only distracts
        likeness = {key: difflib.SequenceMatcher(None, key, name.casefold()).ratio() for key in close}
        close = [key for key in close if likeness[key] > 0.9 * likeness[close[0]]]
    else:
        close = [key for key in folded if len(name) > 2 and name.casefold() in key][:3]
    if not close:
        return ""
    return f"Did you mean {' or '.join(repr(folded[key]) for key in close)}?"
