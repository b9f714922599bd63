"""Errors about a path that somebody named: the path, short enough for a line, and what to do next."""

import errno

from grpo_env_sdk.errors import GrpoEnvError, UsageError

_HEAD, _TAIL = 40, 20
OPEN_FILES = "Have the environment close what it opens, or raise the limit of open files (`ulimit -n`)."
_NEXT_STEPS = {
    errno.EMFILE: OPEN_FILES,
    errno.ENFILE: "The whole machine has as many files open as it allows: end programs that hold many.",
    errno.EACCES: "Get access to it, or name another path.",
    errno.EPERM: "Get access to it, or name another path.",
    errno.ENAMETOOLONG: "Name a shorter path.",
    errno.ENOSPC: "Free some space.",
    errno.EDQUOT: "Free some space.",
}


def short_path(path: object) -> str:
    """A path in quotes; the middle of one of more than a hundred characters is left out."""
    text = str(path)
    return repr(text if len(text) <= 100 else f"{text[:_HEAD]}...{text[-_TAIL:]}")


def next_step(exc: BaseException, otherwise: str = "Name another path.") -> str:
    """What to do about an error of the operating system; `otherwise` where the error does not say it."""
    return _NEXT_STEPS.get(getattr(exc, "errno", None) or 0, otherwise)


def ran_out_of_files(exc: BaseException | None) -> OSError | None:
    """The error, or the cause of it, that no more files can be opened, which says nothing about any path."""
    while exc is not None and not (isinstance(exc, OSError) and exc.errno in (errno.EMFILE, errno.ENFILE)):
        exc = exc.__cause__
    return exc


def unusable_path(exc: OSError) -> UsageError:
    """The error for a person of an error of the operating system that names a path, or that files run out."""
    reason = exc.strerror or type(exc).__name__
    if ran_out_of_files(exc):
        return UsageError(f"This command cannot go on: {reason}.", next_step(exc))
    return UsageError(f"{short_path(exc.filename)} cannot be used: {reason}.", next_step(exc))


def blame_open_files(exc: GrpoEnvError) -> None:
    """Where files run out, that is the next step, and nothing is wrong with what could not be opened."""
    if (lack := ran_out_of_files(exc)) and (step := next_step(lack)).rstrip(".") not in exc.hint:
        exc.hint = step
