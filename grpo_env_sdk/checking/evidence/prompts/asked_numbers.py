"""Times, digits and decimals of a gold answer in another form than the one that its prompt asks for."""

import re
from collections.abc import Sequence
from datetime import time
from decimal import ROUND_HALF_UP, Decimal

from grpo_env_sdk.checking.evidence.prompts.broken_form import BrokenForm, count_of, only, put
from grpo_env_sdk.late_patterns import regex

_CLOCK = regex(
    r"(?<![\d:.,])(?P<hour>\d{1,2})(?:(?P<sep>[:.h])(?P<minute>\d\d)(?::\d\d)?)? ?(?P<half>[ap]\.?m\b\.?)?(?![\d:.])",
    re.IGNORECASE,
)
_CLOCK_MASK = regex(r"(?<!\w)[Hh]{2}([:.]?)[Mm]{2}(?!\w)(?!:[Ss]{2}| ?[AaPp][Mm]\b)")
_HALVES = regex(
    r"\b(?:12[- ]hour|(?:with|in|using|add|include) (?:an? )?[\"'`]?(?:am|pm|a\.m\.|p\.m\.|AM|PM)|AM/PM"
    r"|[Hh]{1,2}:[Mm]{2} ?(?:AM|am)\b)"
)
_WITHOUT_HALF = regex(
    r"\b(?:[Hh]:[Mm]{2}|(?:such as|e\.g\.,?|for example,?|like) [\"'`]?\d{1,2}[:.]\d\d)\b[\"'`]?(?! ?[AaPp]\.?[Mm]\b)"
)
"""A form of times that the prompt shows without a half of the day."""
_NUMBER = regex(r"(?<![\w.,/-])-?\d+(?:[.,]\d+)?(?![\w.,/]*\d)")
_WORDS = "one|two|three|four|five|six|einen?|zwei|drei|vier|deux|trois|quatre|dos|tres|cuatro|due|tre|duas|três|[0-9]"
_ONLY_ZEROS = regex(r"^[^.,]*\b\d+[.,]0{1,2}(?![\w.,]*\d)[^.,\d]*\.?$")
_PLACES = regex(
    rf"(?<!most )(?<!up to )(?<!least )\b({_WORDS})[- ]"
    r"(?:decimals?\b|decimal (?:places?|digits?)\b|digits? (?:after|behind) the|(?:Nachkomma|Dezimal)stellen?"
    r"|Stellen? (?:nach|hinter) dem Komma|décimales?|decimales|decimali|casas decimais)",
    re.IGNORECASE,
)
_WHOLE = regex(r"\b(?:nearest|closest) (?:integer|whole number)\b|\bganze Zahl (?:ge|auf|ab)?rundet", re.IGNORECASE)
_COUNT = regex(
    r"\b(?:whole|natural) numbers?\b|\bintegers?\b|\b(?:in|with|as|using) (?:plain |arabic )?digits\b|\bhow many\b|"
    r"\bganze\w* Zahl\w*|\bin Ziffern\b|\bwie viele\b|\bnombres? entiers?\b|\ben chiffres\b|\bcombien\b|"
    r"\bnúmeros? enteros?\b|\bcu[aá]nt[ao]s\b",
    re.IGNORECASE,
)
"""What is a number without decimals, whether or not the prompt says more of its form."""
_DECIMALS = regex(
    r"\bdecimals?\b|\bfloat|\bsignificant\b|komma|décimal|\b(?:such as|like|e\.g\.,?|example:?) [\"'`]?\d+[.,]0",
    re.IGNORECASE,
)
_DIGITS = regex(
    rf"\b(?:answer|reply|respond|write|give|state|enter|output|return)\b[^.?!\n]{{0,60}}?"
    rf"\b({_WORDS}|seven|eight|nine|ten)[- ](?:digits?\b|digit (?:code|number|id)\b)(?! (?:after|behind|or|to|num))",
    re.IGNORECASE,
)
_OF_SOME_DIGITS = regex(r"\b(?:at most|up to|at least|no more than|significant|decimal|sum|last|first)\b", re.I)


def broken_digits(prompt: str, text: str, texts: Sequence[str]) -> BrokenForm | None:
    """A text of digits that lacks zeros before it, where the prompt asks for as many digits as other answers have."""
    asked = _DIGITS.search(prompt) if text.isdecimal() else None
    digits = count_of(asked[1]) if asked and not _OF_SOME_DIGITS.search(asked.group()) else 0
    if (
        asked is None
        or len(text) >= digits
        or not any(re.search(rf"(?<!\d)\d{{{digits}}}(?!\d)", one) for one in texts)
    ):
        return None
    return BrokenForm(f"{asked[1]} digits", (text.zfill(digits),))


def broken_time(prompt: str, text: str, texts: Sequence[str]) -> BrokenForm | None:
    """The one time of day of a text, where the prompt asks for a form of times and this has none."""
    found = only(_CLOCK, text)
    mask, halves = _CLOCK_MASK.search(prompt), _HALVES.search(prompt)
    if found is None or (mask is None) == (halves is None) or not (found["half"] or found["sep"]):
        return None
    if halves and _WITHOUT_HALF.search(prompt):
        return None
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if hour > 23 or minute > 59:
        return None
    half = (found["half"] or "").casefold()
    clock = time(hour % 12 + 12 * half.startswith("p") if half else hour, minute)
    if mask:
        written: tuple[str, ...] = (f"{clock:%H}{mask[1]}{clock:%M}",)
        fits = found.group().strip() == written[0]
    else:
        short = f"{(clock.hour - 1) % 12 + 1}:{clock:%M}"
        written, fits = (f"{short} {clock:%p}", f"{short} {clock:%p}".lower()), bool(half)
    words = (mask or halves).group()  # type: ignore[union-attr]  # one of the two is there
    return None if fits else BrokenForm(words, tuple(put(text, found, one) for one in written))


def broken_decimals(prompt: str, text: str, texts: Sequence[str]) -> BrokenForm | None:
    """The one number of a text, where the prompt asks for so many decimals and it has others; not if no answer has."""
    found, asked = only(_NUMBER, text), {count_of(hit[1]): hit.group() for hit in _PLACES.finditer(prompt)}
    whole_number = _WHOLE.search(prompt)
    if not asked and not whole_number and all(map(_ONLY_ZEROS.search, texts)) and not _DECIMALS.search(prompt):
        whole_number = next(reversed(list(_COUNT.finditer(prompt))), None)
    if whole_number:
        asked[0] = whole_number.group()
    if found is None or len(asked) != 1 or not any(re.search(r"\d[.,]\d", one) for one in texts):
        return None
    (places, words), value = next(iter(asked.items())), found.group()
    whole, sep, decimals = value.partition("," if "," in value else ".")
    if len(decimals) == places or (sep == "," and len(decimals) == 3 and whole.strip("-") != "0"):
        return None
    rounded = Decimal(f"{whole}.{decimals or 0}").quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return BrokenForm(words, (put(text, found, str(rounded).replace(".", sep or ".")),))
