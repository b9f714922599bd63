"""Other ways to write a probability or a part of a whole, where a prompt leaves open how it is written."""

import re
from fractions import Fraction

from grpo_env_sdk.checking.teaching.forms.form import NEGATED, Form

SMALL, LARGE = 40, 1_000
"""The largest denominators of the fraction that a rounded decimal means, and of that of a decimal in full."""
_IN_FULL, _ROUNDED = 12, 3
"""From how many decimals on a number is a fraction in full, and from how many it may be a rounded one."""
_PARTS = (
    r"\bprobabilit\w+|\bwahrscheinlich\w+|\bprobabilidad\w*|\bchances? (?:of|that|to|is)\b|"
    r"\b(?:what|which) (?:part|share|fraction|proportion) of\b|\bproportion of\b"
)
_CHANCES = r"\bchances? (?:of|that|to|is)\b|\bhow likely\b|\blikelihood\b"
_FORM_ASKED = (
    r"\b(?:decimals?|decimal point|dezimal\w*|places|round\w*|gerundet|float\w*|digits?|format\w*|numeric\w*|form)\b|"
    r"\bper ?cent\w*|\bprozent|%|\bbetween 0 and 1\b|\bfrom 0 to 1\b|(?<!\d)[01]?[.,]\d|"
    r"\bas an? \w*(?:number|fraction|ratio)\b"
)
"""What a prompt says of how such a number is to be written."""
_ESTIMATE = r"\b(?:estimat\w+|confiden\w+|forecast\w*|predict\w*|calibrat\w+|belie\w+)\b"


def fraction_of(core: str) -> Fraction | None:
    """The simple fraction between 0 and 1 that a decimal means; None where it may be any number."""
    if not re.fullmatch(r"0?\.\d{1,20}", core):
        return None
    value, places = Fraction(core), len(core.partition(".")[2])
    meant = value.limit_denominator(LARGE if places >= _IN_FULL else SMALL)
    close = places >= _ROUNDED and abs(meant - value) * 2 <= Fraction(1, 10 ** min(places, 16))
    return meant if 0 < meant < 1 and (meant == value or close) else None


def _as_fraction(core: str, prompt: str) -> str | None:
    meant = fraction_of(core)
    return None if meant is None else str(meant)


def _rounded(core: str, prompt: str) -> str | None:
    meant = fraction_of(core)
    return None if meant is None else f"{float(meant):.4f}"


def _as_percentage(core: str, prompt: str) -> str | None:
    meant = fraction_of(core)
    return None if meant is None else f"{float(meant) * 100:.2f}".rstrip("0").rstrip(".") + "%"


_ASKED = r"\b(?:as|with|give|write|answer\w*|reply|in) (?:an? |the )?(?:\w+ )?fraction\b"
PART_FORMS = (
    Form("as the fraction that it asks for", _as_fraction, _ASKED, r"\bdecimals?\b|\bor\b", sure=True, unless=NEGATED),
    Form("as a fraction", _as_fraction, _PARTS, rf"{_FORM_ASKED}|{_ESTIMATE}"),
    Form("as a percentage of two decimals", _as_percentage, _CHANCES, rf"{_FORM_ASKED}|{_ESTIMATE}", beside=_rounded),
)
