"""The same moment with another offset, and UTC as Z or as +00:00, where a prompt or a schema leaves that open."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from grpo_env_sdk.checking.teaching.forms.form import Form
from grpo_env_sdk.late_patterns import regex

_MOMENT = regex(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)")
_ANY_OFFSET = (
    r"\bany (?:\w+ ){0,2}?(?:offset|time ?zone)|\b(?:offset|time ?zone)s? (?:does not|doesn't|do not|don't) matter\b|"
    r"\b(?:whatever|whichever|no matter (?:which|what)) (?:the )?(?:\w+ )?(?:offset|time ?zone)\b|"
    r"\b(?:offset|time ?zone) of your (?:own )?choice\b|\b(?:offsets?|time ?zones?) (?:is|are) (?:free|up to you)\b"
)
_NAMED = r"(?-i:\bZ\b)|\+00:?00|%z|\bexactly\b|\bsuffix\b|\bending\b|\bHH\b"
"""What is said of how UTC is to be written."""


def _read(core: str) -> datetime | None:
    try:
        return datetime.fromisoformat(core) if _MOMENT.fullmatch(core) else None
    except ValueError:
        return None


def _at_offset(minutes: int) -> Callable[[str, str], str | None]:
    def write(core: str, prompt: str) -> str | None:
        moment = _read(core)
        there = moment and moment.astimezone(timezone(timedelta(minutes=minutes)))
        return there.isoformat() if there and moment and there.utcoffset() != moment.utcoffset() else None

    return write


def _utc_otherwise(core: str, prompt: str) -> str | None:
    if _read(core) is None:
        return None
    return f"{core[:-1]}+00:00" if core.endswith("Z") else re.sub(r"\+00:?00$", "Z", core)


MOMENT_FORMS = (
    Form("in UTC, as any offset will do,", _at_offset(0), _ANY_OFFSET, sure=True),
    Form("with another offset, as any will do,", _at_offset(150), _ANY_OFFSET, sure=True),
    Form("with Z for +00:00, or the other way round,", _utc_otherwise, r"\bISO[- ]?8601\b|\bRFC ?3339\b", _NAMED),
)
