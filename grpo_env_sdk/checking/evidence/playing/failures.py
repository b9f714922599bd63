"""Failures of the environment during a check: what failed, where, and on which input."""

from typing import Any

from grpo_env_sdk.checking.findings.finding import MORE_TIME
from grpo_env_sdk.checking.findings.report import FIX_FIRST
from grpo_env_sdk.errors import DeadlineError, EnvironmentFailedError, GrpoEnvError
from grpo_env_sdk.isolation.calls.deadline import raised_there
from grpo_env_sdk.isolation.calls.tracebacks import one_line, place_in, raised_at
from grpo_env_sdk.types import Episode, Fault

HANG = ("first", "hang")
"""The key of the failure that no episode comes to its end; a list, which is empty once a check has reported it."""
UNUSABLE = "The environment cannot be used yet."


class FailedHereError(EnvironmentFailedError):
    """The environment raised or hung during a check; uncaught, it becomes a finding of that check."""

    def __init__(self, message: str, hint: str, cause: str, row: int | None = None, given: Any = None) -> None:
        super().__init__(message, hint)
        self.cause = cause
        self.row = row
        self.given = given


class OutOfTimeError(GrpoEnvError):
    """The time of a check was used up before it could play what it needs; uncaught, the check stays undecided."""

    def __init__(self) -> None:
        super().__init__("Its time ran out.", MORE_TIME)


class NoEpisodeEndsError(GrpoEnvError):
    """The first episodes did not come to their end, so none is played any more; uncaught, the check is undecided."""

    def __init__(self) -> None:
        super().__init__(UNUSABLE, FIX_FIRST)


def failure_of(episode: Episode, given: Any = None) -> FailedHereError | None:
    """Why an episode has no score, or None if it ended normally."""
    return None if episode.error is None else failure_by(episode.error, episode.row_index, given)


def failure_by(fault: Fault, row: int, given: Any = None) -> FailedHereError:
    """What a fault is for a check."""
    what = {"score": "Scoring", "reset": "reset", "step": "step", "tools": "A tool", "answer": "The user"}  # fmt: skip
    message = f"{what.get(fault.stage, fault.stage)} {_describe(fault)}"
    return FailedHereError(message, "Fix this code.", cause_of(fault), row, given)


def cause_of(fault: Fault) -> str:
    """`KeyError (hotel.py:31)`: the same for one mistake, whatever input triggers it."""
    place = place_in(fault.traceback)
    return f"{fault.type} ({place})" if place else f"{fault.type}: {fault.stage}"


def failure_of_call(what: str, exc: BaseException, row: int | None = None) -> FailedHereError:
    """A failed call of a function of the environment, as a `FailedHereError`."""
    if isinstance(exc, DeadlineError | GrpoEnvError):
        return FailedHereError(exc.message, exc.hint, f"{type(exc).__name__}: {what}", row)
    exc = raised_there(exc)
    place = raised_at(exc)
    cause = f"{type(exc).__name__} ({place})" if place else f"{type(exc).__name__}: {what}"
    text = one_line(exc).removesuffix(".")
    raised = f"{type(exc).__name__}{text and f': {text}'}{place and f' ({place})'}"
    return FailedHereError(f"{what} raised {raised}.", "Fix this code.", cause, row)


def _describe(fault: Fault) -> str:
    if fault.type == "DeadlineError":
        return f"hangs: {fault.message}"
    place = place_in(fault.traceback)
    text = " ".join(fault.message.split())[:300].removesuffix(".")
    return f"raised {fault.type}: {text}{place and f' ({place})'}."
