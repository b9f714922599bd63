"""Gold with a sign turned, or with the marks inside of its numbers left out."""

import re

from grpo_env_sdk.checking.evidence.prompts.opposites import OTHER_SIGN
from grpo_env_sdk.late_patterns import regex

LAST_SIGN, INNER_SIGN = "with + for - or - for + at its end", "with the other sign at one of its numbers or terms"
OTHER_BOUND = "with the other bound or direction"
NO_MARKS, NO_SPACE = "without the marks in and over its numbers", "without the space of its mixed number"
_AT_END = regex(r"(?<=[A-Z0-9^+)\]}])(?<![A-Z]{3})[-+\u2212](?=[)}\]$ ]*$)")
"""The sign of a charge, a grade or a blood group; a hyphen at the end of a word is none."""
_BEFORE_NUMBER = regex(r"(?:^|(?<=[(\[{=:^*/])|(?<=[,;=(\[{] ))[-\u2212](?=\.?\d)")
_TERMS = regex(r"(?=.*(?<![^\W\d_])[a-hj-z](?![^\W\d_]))(?=.*[\^*=]|.* [-+] )[\w\s()^*/+.=,{}\\-]+", re.IGNORECASE)
"""Terms with a variable; those with an i or a root often have another right answer, with the other sign."""
_NO_TERMS = regex(r"\d[iI]\b|\bi\b|sqrt|\u221a|(?<!\\)\b(?!sin|cos|tan|log|exp)[^\W\d_]{3,}", re.IGNORECASE)
_BETWEEN_TERMS = regex(r"(?<=[\w)}])( ?)[-+](\1)(?=[\w({\\])")
_HALF_OPEN = regex(r"\[[^\[\]()]+, ?[^\[\]()]+\)|\([^\[\]()]+, ?[^\[\]()]+\]")
_TURNED = {"<": ">", ">": "<", "\u2264": "\u2265", "\u2265": "\u2264", "<=": ">=", ">=": "<="}
_COMPARES = regex(r"(?:(?<=[a-z])|(?<=[a-z] ))(?:[<>]=?|[\u2264\u2265])(?= ?-?\d)")
_OVER = regex(r"\\(?:bar|overline|hat|vec|tilde|dot|underline|neg|lnot)\b\s*(?:\{([^{}]*)\}|(\w))")
_MIXED = regex(r"(?<![\d.,/])(\d{1,3}) (\d{1,3}/\d{1,3})(?![\d/])")
_FRACTION = regex(r"(\D*\d{1,3})/(\d{1,3}\D*)")
_DECIMAL = regex(r"(?<![\d.])(\d+)\.(\d{1,2})(?![\d.])")
_TIME = regex(r"\b(?:times?|clock|uhr|heures?|hora|when|versions?)\b", re.IGNORECASE)
"""What a prompt asks for where a point in a number is as good as no mark, or says no decimals."""


def last_sign_turned(text: str) -> str | None:
    """SO4^2+ for SO4^2-, and A+ for A-."""
    found = None if re.fullmatch(r"\d{2,}.", text) else _AT_END.search(text)  # 18+ is an age, and 2010- a time
    return f"{text[: found.start()]}{OTHER_SIGN[found.group()]}{text[found.end() :]}" if found else None


def inner_sign_turned(text: str) -> str | None:
    """(2, 3) for (-2, 3), and 3x + 4 for 3x - 4; a number alone is left to others."""
    if (found := _BEFORE_NUMBER.search(text)) and not re.fullmatch(r"[-\u2212][\d.,]+", text):
        return text[: found.start()] + text[found.end() :]
    if not _TERMS.fullmatch(text) or _NO_TERMS.search(text):
        return None
    changed = _BETWEEN_TERMS.sub(lambda found: found.group().translate(str.maketrans("+-", "-+")), text, count=1)
    return changed if changed != text else None


def other_bound(text: str) -> str | None:
    """(2, 5] for [2, 5), and x > 3 for x < 3."""
    if _HALF_OPEN.fullmatch(text):
        return text.translate(str.maketrans("[]()", "()[]"))
    if re.search(r"<\w+>", text):
        return None
    changed = _COMPARES.sub(lambda found: _TURNED[found.group()], text)
    return changed if changed != text else None


def without_marks(text: str, prompt: str) -> str | None:
    """34 for 3/4, 35 kg for 3.5 kg, and (1 2) for (1 \\bar{2})."""
    if _OVER.search(text):
        return _OVER.sub(lambda found: found[1] or found[2], text)
    if found := _FRACTION.fullmatch(text):
        return found[1] + found[2]
    if re.fullmatch(r"-?[\d.,]+", text) or _TIME.search(prompt):
        return None  # the decimals of a number alone are left to others
    changed = _DECIMAL.sub(r"\1\2", text)
    return changed if changed != text else None


def without_space(text: str) -> str | None:
    """17/8 for the mixed number 1 7/8."""
    return _MIXED.sub(r"\1\2", text) if _MIXED.search(text) else None
