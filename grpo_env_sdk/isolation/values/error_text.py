"""What an error of other people's code says: its `__str__` may raise, never return, or give megabytes."""

from contextlib import suppress

MOST_CHARS = 2000
_READ = "_grpo_env_text"
"""Where the text of an error is kept: it is read once, in the thread and under the deadline of the call that raised."""


def error_text(exc: BaseException) -> str:
    """What an error says, at most 2,000 characters of it; what its own code raises meanwhile is not raised."""
    known = getattr(exc, "__dict__", {}).get(_READ) if type(exc).__getattribute__ is _plain else None
    if isinstance(known, str):
        return known
    text = cut(_read(exc), MOST_CHARS)
    with suppress(BaseException):  # a class of the author may refuse everything
        object.__setattr__(exc, _READ, text)
    return text


def type_name(exc: BaseException) -> str:
    """The name of an error's class, at most 100 characters."""
    return cut(type.__dict__["__name__"].__get__(type(exc)), 100)


def cut(text: str, most: int) -> str:
    """The text, or the first and last part of one that is longer than `most` characters."""
    if len(text) <= most:
        return text
    left_out = f" ... [{len(text) - most} more characters] ... "
    return text[: most * 3 // 4] + left_out + text[-(most // 4) :]


def _read(exc: BaseException) -> str:
    try:
        text = str(exc)
    except BaseException as other:  # also a `sys.exit` in `__str__`
        return f"<its text cannot be read: {type_name(other)}>"
    return text if type(text) is str else str.__str__(text)


_plain = BaseException.__getattribute__
