"""Times and dates with and without zeros in front of their numbers, and with am and pm as a prompt writes them."""

import re

from grpo_env_sdk.checking.teaching.forms.form import Form
from grpo_env_sdk.late_patterns import regex

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b"
_TIME = r"(?<![\d:])\d{1,2}:\d\d(?!\d)"
_DATE = rf"(?<![\d/.])\d{{1,2}}([/.])\d{{1,2}}\1\d{{2,4}}(?!\d)|\b\d\d {_MONTH}|{_MONTH} \d\d\b"
_TIME_OR_DATE = regex(f"{_TIME}|{_DATE}")
_ZERO = regex(
    rf"(?<![\d:/.])0(?=\d(?:[:/.]\d| {_MONTH}))|(?<=\d[/.])0(?=\d[/.]\d)|(?<=[a-z] )0(?=[1-9](?:$|,| \d{{4}}))"
)
_SINGLE = regex(r"(?<![\d:/.])(?=\d:\d\d|\d[/.]\d{1,2}[/.]\d)|(?<=\d[/.])(?=\d[/.]\d)")
_TOLD = (
    r"\bHH?\b|\bH:|%[HdmY]|\bDD?[/.]|\bMM\b|\bISO\b|\b\w*zero|\bpad\w*|\bformat\w*|\bdigits?\b|\bexactly (?:as|like)\b"
)
"""What a prompt says of how a time or a date is to be written."""
_WITH_ZEROS = rf"(?<![\d:/.])0\d[:/.]\d|\b0\d {_MONTH}|\b{_MONTH} 0\d\b"
_WITHOUT = (
    rf"(?<![\d:/.])[1-9](?::\d\d(?!\d)|[/.]\d{{1,2}}[/.]\d{{2,4}}(?!\d))|"
    rf"(?<![\w.,])[1-9] {_MONTH}|\b{_MONTH} [1-9](?![\w.])"
)
"""How a prompt may show them itself."""
_HALF = regex(r"(?<=\d)( ?)([ap]\.?m\b\.?)", re.IGNORECASE)


def _without_zeros(core: str, prompt: str) -> str | None:
    return _ZERO.sub("", core) if _TIME_OR_DATE.search(core) and _ZERO.search(core) else None


def _with_zeros(core: str, prompt: str) -> str | None:
    return _SINGLE.sub("0", core) if _TIME_OR_DATE.search(core) and _SINGLE.search(core) else None


def _half_as_shown(core: str, prompt: str) -> str | None:
    """A time with am or pm in the one way in which the prompt writes them: 3:45 pm for 3:45PM."""
    shown = {(space, half[1:]) for space, half in _HALF.findall(prompt)}
    capitals = {half[0].isupper() for _, half in _HALF.findall(prompt)}
    if len(shown) != 1 or len(capitals) != 1 or not re.fullmatch(r"\d{1,2}(?::\d\d)? ?[ap]\.?m\.?", core, re.I):
        return None
    space, rest = shown.pop()
    case = str.upper if capitals.pop() else str.lower
    return _HALF.sub(lambda found: f"{space}{case(found[2][0])}{rest}", core)


CLOCK_FORMS = (
    Form(
        "without zeros in front, as its own times and dates,", _without_zeros, _WITHOUT, f"{_TOLD}|{_WITH_ZEROS}",
        sure=True,
    ),
    Form(
        "with zeros in front, as its own times and dates,", _with_zeros, _WITH_ZEROS, f"{_TOLD}|{_WITHOUT}", sure=True
    ),
    Form("without zeros in front of a time or a date", _without_zeros, "", f"{_TOLD}|{_WITH_ZEROS}|{_WITHOUT}"),
    Form("with am and pm as it writes them", _half_as_shown, r"\d ?[ap]\.?m\b", _TOLD, sure=True),
)  # fmt: skip
