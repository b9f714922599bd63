"""Errors about a path that somebody named: the path, short enough for a line, and what to do next."""

import errno

from grpo_env_sdk.errors import UsageError

_HEAD, _TAIL = 40, 20
_NEXT_STEPS = {
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


def unusable_path(exc: OSError) -> UsageError:
    """The error for a person of an error of the operating system that names a path."""
    reason = exc.strerror or type(exc).__name__
    return UsageError(f"{short_path(exc.filename)} cannot be used: {reason}.", next_step(exc))
