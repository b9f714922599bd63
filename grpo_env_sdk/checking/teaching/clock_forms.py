"""Times and dates with and without zeros in front of their numbers."""

import re

from grpo_env_sdk.checking.teaching.form import Form

_TIME_OR_DATE = re.compile(r"(?<![\d:])\d{1,2}:\d\d(?!\d)|(?<![\d/.])\d{1,2}([/.])\d{1,2}\1\d{2,4}(?!\d)")
_ZERO = re.compile(r"(?<![\d:/.])0(?=\d[:/.]\d)|(?<=\d[/.])0(?=\d[/.]\d)")
_SINGLE = re.compile(r"(?<![\d:/.])(?=\d:\d\d|\d[/.]\d{1,2}[/.]\d)|(?<=\d[/.])(?=\d[/.]\d)")
_TOLD = (
    r"\bHH?\b|\bH:|%[HdmY]|\bDD?[/.]|\bMM\b|\bISO\b|\b\w*zero|\bpad\w*|\bformat\w*|\bdigits?\b|\bexactly (?:as|like)\b"
)
"""What a prompt says of how a time or a date is to be written."""
_WITH_ZEROS = r"(?<![\d:/.])0\d[:/.]\d"
_WITHOUT = r"(?<![\d:/.])[1-9](?::\d\d(?!\d)|[/.]\d{1,2}[/.]\d{2,4}(?!\d))"
"""How a prompt may show them itself."""


def _without_zeros(core: str, prompt: str) -> str | None:
    return _ZERO.sub("", core) if _TIME_OR_DATE.search(core) and _ZERO.search(core) else None


def _with_zeros(core: str, prompt: str) -> str | None:
    return _SINGLE.sub("0", core) if _TIME_OR_DATE.search(core) and _SINGLE.search(core) else None


CLOCK_FORMS = (
    Form(
        "without zeros in front, as its own times and dates,", _without_zeros, _WITHOUT, f"{_TOLD}|{_WITH_ZEROS}",
        sure=True,
    ),
    Form(
        "with zeros in front, as its own times and dates,", _with_zeros, _WITH_ZEROS, f"{_TOLD}|{_WITHOUT}", sure=True
    ),
    Form("without zeros in front of a time or a date", _without_zeros, "", f"{_TOLD}|{_WITH_ZEROS}|{_WITHOUT}"),
)  # fmt: skip
