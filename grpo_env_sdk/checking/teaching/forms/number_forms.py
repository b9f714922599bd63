"""Other ways to write a number that a prompt asks for or leaves open."""

import re
from decimal import Decimal, InvalidOperation

from grpo_env_sdk.checking.teaching.forms.form import NEGATED, ONLY, THINKS, Form
from grpo_env_sdk.checking.teaching.forms.part_forms import PART_FORMS
from grpo_env_sdk.late_patterns import regex

_PLACES = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ROMAN = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X")),
    *((9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)
_FORMAT = (
    r"\b(?:digits?|zero\w*|pad\w*|code|pin|decimal\w*|places|precis\w*|format\w*|cents?|exact\w*|binary|hex\w*|octal|"
    r"id|time|date|clock|float\w*|round(?:ed)?(?! down| up)|nearest|version\w*|scientific|exponent\w*|strings?|"
    r"revers\w*|backwards?|mirror\w*|concat\w*|characters?|swap\w*)\b"
)
"""What a prompt says of how a number is to be written."""
_THOUSANDS = regex(r"(?<![\w.,$€£])[1-9]\d{3,8}(?![\w,]|\.\d)")
_WHOLE_PART = regex(rf"{_THOUSANDS.pattern}|(?<![\w.,])[1-9]\d{{3,8}}(?=[.,]\d{{1,2}}(?![\d.,]\d))")
"""The same, with one or two decimals behind it too."""
_CURRENCIES = {"$": r"\bdollars?\b|\$ ?\d", "€": r"\beuros?\b|€", "£": r"\bpounds? sterling\b|£"}
_SEPARATORS = {r"\bpoints?\b|\bpunkte?n?\b|\bdots?\b": ".", r"\bspaces?\b|\bespaces?\b": " ", "apostroph": "'"}
_SEPARATED = (
    r"\b(?:with|use|using|put|write|insert|add|include|separat\w+|group\w*|mit|trenn\w+|avec)\b[^.?!\n]{0,60}?"
    r"(?:\b(?:commas?|points?|dots?|spaces?|apostrophes?|punkte?n?|espaces?|apostrophen?)\b[^.?!\n]{0,40}?"
    r"\b(?:thousands?|tausend\w*|milliers?)\b|\b(?:thousands?[- ](?:separators?|commas?)|tausender\w+)\b)"
)
"""What a prompt says that asks for separators of thousands."""
_UNIT = regex(r"\d(?:\.\d+)? ?([^\W\d_]+|%|°[CF]?)")
_NO_UNIT = regex(
    r"an?|and|are|as|at|be\w+|but|by|for|from|has|if|in|into|is|it|of|on|or|over|per|plus|so|tha[nt]|the|then|times|to|"
    r"under|until|was|were|when|which|with",
    re.IGNORECASE,
)
"""Words that stand behind a number and are no unit."""
_ZEROS_SHOWN = r"(?<![\w.,])0\d|\d\.\d"
_ZEROS_IN_EXAMPLE = r"[\"'`]\d+\.\d*0[\"'`]|\b(?:such as|like|e\.g\.|for example|example:) \S{0,3}\d+\.\d*0\b"
_EXPONENT_SHOWN = r"\bpowers? of (?:ten|10)\b|\d ?[eE][-+]?\d|\b10\^"


def _value(core: str) -> Decimal | None:
    plain = core.replace("\u2212", "-")
    if not re.fullmatch(r"[-+]?(?:\d+(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,2})?", plain):
        return None
    try:
        return Decimal(plain.replace(",", ""))
    except InvalidOperation:
        return None


def _plain(core: str, prompt: str) -> str | None:
    """A number without zeros in front of it, or behind its decimals."""
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", core):
        return None
    plain = re.sub(r"^(-?)0+(?=\d)", r"\1", core)
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _with_cents(core: str, prompt: str) -> str | None:
    """A number with one decimal with two."""
    return f"{core}0" if re.fullmatch(r"-?\d+\.\d", core) else None


def _usual(core: str, prompt: str) -> str | None:
    """A number as people write it, where gold is what a program prints: an exponent, a long float, no zero."""
    value = _value(core)
    noisy = re.fullmatch(r"-?\d+\.\d{14,}", core)
    if value is None or not (noisy or re.search(r"[eE]|^[-+]?\.|\u2212", core)):
        return None
    short = f"{value:.9f}" if noisy else f"{value:f}"
    short = short.rstrip("0").rstrip(".") if "." in short else short
    return short if len(short) <= 15 and (not noisy or len(short) < len(core) - 4) else None


def _without_commas(core: str, prompt: str) -> str | None:
    return core.replace(",", "") if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", core) else None


def _without_plus(core: str, prompt: str) -> str | None:
    return core[1:] if re.fullmatch(r"\+\d+(?:\.\d+)?", core) else None


def digits_as_words(core: str, prompt: str) -> str | None:
    """A whole number below 100 in words."""
    number = int(core) if re.fullmatch(r"\d{1,2}", core) else -1
    if number < 0:
        return None
    tens, ones = divmod(number, 10)
    return _SMALL[number] if number < len(_SMALL) else _TENS[tens] + (f"-{_SMALL[ones]}" if ones else "")


def words_as_digits(core: str, prompt: str) -> str | None:
    """Such a number in words as one in digits."""
    tens, _, ones = core.strip().casefold().partition("-")
    if tens in _SMALL and not ones:
        return str(_SMALL.index(tens))
    if tens not in _TENS[2:] or (ones and ones not in _SMALL[1:10]):
        return None
    return str(10 * _TENS.index(tens) + (_SMALL.index(ones) if ones else 0))


def _percentage(core: str, prompt: str) -> str | None:
    """A share below 1 in hundredths."""
    return f"{Decimal(core) * 100:f}".rstrip("0").rstrip(".") + "%" if re.fullmatch(r"0?\.\d{1,6}", core) else None


def _with_unit(core: str, prompt: str) -> str | None:
    """A number with the unit that the first number of the prompt has."""
    units = [unit for unit in _UNIT.findall(prompt) if not _NO_UNIT.fullmatch(unit)]
    return f"{core} {units[0]}" if units and re.fullmatch(r"-?\d+(?:\.\d+)?", core) else None


def _as_amounts(core: str, prompt: str) -> str | None:
    """A number as the prompt writes its amounts of money, with a sign and separators of thousands."""
    shown = re.findall(r"[$€£]\d{1,3}(?:,\d{3})+(\.\d\d)?(?!\d)", prompt)
    sign, value = re.search(r"[$€£](?=\d)", prompt), _value(core)
    if len(shown) < 2 or sign is None or value is None:
        return None
    return f"{sign[0]}{value:,.2f}" if all(shown) else f"{sign[0]}{value:,f}"


def _in_a_text(core: str, prompt: str) -> str:
    """A bare number in a sentence, and any other answer as it is."""
    return f"So the answer is {core}." if core.isdecimal() else core


def with_thousands(core: str, prompt: str) -> str | None:
    """A whole number with commas."""
    return f"{int(core):,}" if re.fullmatch(r"[1-9]\d{3,}", core) else None


def with_dollars(core: str, prompt: str) -> str | None:
    """A number with the sign of dollars."""
    return f"${core}" if re.fullmatch(r"\d+(?:\.\d+)?", core) else None


def _text_with_thousands(core: str, prompt: str) -> str | None:
    """The one number of thousands in such a text with separators."""
    text, found = _in_a_text(core, prompt), _THOUSANDS.findall(core)
    return _THOUSANDS.sub(f"{int(found[0]):,}", text) if len(found) == 1 else None


def _with_asked_separators(core: str, prompt: str) -> str | None:
    """The one number of thousands in an answer, with what the prompt asks for between them."""
    found = _WHOLE_PART.findall(core)
    asked = re.search(_SEPARATED, prompt, re.IGNORECASE)
    if len(found) != 1 or asked is None:
        return None
    sign = next((sign for words, sign in _SEPARATORS.items() if re.search(words, asked.group(), re.IGNORECASE)), ",")
    return None if f"{found[0]}{sign}" in core else _WHOLE_PART.sub(f"{int(found[0]):,}".replace(",", sign), core)


def _text_with_currency(core: str, prompt: str) -> str | None:
    """The same with the sign of the currency that the prompt speaks of."""
    sign = next((sign for sign, words in _CURRENCIES.items() if re.search(words, prompt, re.IGNORECASE)), "")
    text = _text_with_thousands(core, prompt)
    return re.sub(r"(?=(?<![\d,])\d{1,3},\d{3})", sign, text, count=1) if text and sign and sign not in text else None


def _roman(core: str, prompt: str) -> str | None:
    rest, text = int(core) if re.fullmatch(r"[1-9]\d{0,3}", core) else 4_000, ""
    for value, letters in _ROMAN if rest < 4_000 else ():
        text, rest = text + letters * (rest // value), rest % value
    return text or None


def _with_zeros(core: str, prompt: str) -> str | None:
    found = re.search(r"\b(two|three|four|five|six|[2-9])[- ]digits?", prompt, re.IGNORECASE)
    width = (_PLACES.get(found[1].casefold()) or int(found[1])) if found else 0
    return core.zfill(width) if core.isdecimal() and len(core) < width else None


def _scientific(core: str, prompt: str) -> str | None:
    digits = core.rstrip("0")
    if not re.fullmatch(r"[1-9]\d{2,}", core):
        return None
    return f"{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{len(core) - 1}"


_FREELY = rf"{THINKS}|\b(?:show|write out|lay out) (?:your|the|all|how)\b"
"""What a prompt says where an answer is a text with the number in it."""
_EXACTLY = (
    r"\b(?:digits?|plain|bare|format\w*|commas?|separators?|years?|codes?|id|PIN|boxed|tags?|JSON)\b|<\w+>|####|"
    r"(?:answer|result|total|solution) ?: ?\S|" + ONLY
)
"""What a prompt says that leaves no other way to write it."""
_UNITS = r"[^.!?\n]{0,20}\bunits?\b"
NUMBER_FORMS = (
    Form(
        "as a percentage", _percentage, r"\b(?:as|in|give|what|which) (?:an? |the )?per ?cent(?:age)?\b", whole=True,
        sure=True,
    ),
    Form(
        "with its unit", _with_unit, rf"\b(?:include|with|add|give|write|state)\b{_UNITS}",
        rf"\b(?:without|no|not|omit|leave out)\b{_UNITS}|\bnumber\b[^.!?\n]{{0,25}}\b(?:alone|only)\b|\bSI units\b",
        True, True,
    ),
    Form(
        "in Roman numerals", _roman, r"\b(?:in|as|using|with) (?:upper[- ]?case |a )?Roman num",
        r"\bfrom\b|convert|arabic|digits|decimal|\b[IVXLCDM]{2,}\b", sure=True,
    ),
    Form("with leading zeros", _with_zeros, r"\bleading zero", r"\b(?:no|without|not|drop|remove)\b", sure=True),
    Form(
        "in scientific notation", _scientific, r"\b(?:in|as|using) scientific notation", r"\bfrom\b|convert", sure=True
    ),
    Form(
        "in words", digits_as_words,
        r"\b(?:number|it|answer|result|sum|total)\b[^.!?\n]{0,15}\b(?:in|as) words\b|spell(?:ed)? out",
        r"\bdigits?\b|\bhow many words", sure=True,
    ),
    Form(
        "in digits", words_as_digits,
        r"\b(?:in|as|with|using) (?:digits|numerals|figures)\b|\bas an? (?:number|integer)\b",
        sure=True,
    ),
    Form(
        "as numbers are written", _usual, "",
        rf"scientific|exponent|notation|\bfloat|\brepr\b|python|precis|{_EXPONENT_SHOWN}",
        sure=True, fewest=2,
    ),
    Form("as a plain number", _plain, "", rf"{_FORMAT}|{_ZEROS_SHOWN}", sure=True, fewest=2),
    Form(
        "without zeros that say nothing", _plain, r"\d\.\d",
        rf"{_FORMAT}|{_ZEROS_IN_EXAMPLE}|(?<![\w.,])0\d|\btwo\b", fewest=2,
    ),
    Form("with the decimals of its own numbers", _with_cents, r"\d\.\d\d\b", rf"{_FORMAT}|{ONLY}", fewest=2),
    Form(
        "as its amounts are written", _as_amounts, r"\b(?:amount|total|sum|price|costs?|balance)\b",
        rf"\b(?:number|digits|without|no|sign|symbol|currency|plain|units?)\b|{_FORMAT}", fewest=2,
    ),
    Form(
        "without thousands separators", _without_commas, "", rf"\bcommas?\b|separator|{_FORMAT}|\d,\d{{3}}",
        sure=True, fewest=2,
    ),
    Form(
        "in a text with thousands separators", _text_with_thousands, _FREELY, _EXACTLY, whole=True, beside=_in_a_text
    ),
    Form(
        "in a text with its currency", _text_with_currency, _FREELY, _EXACTLY, whole=True, beside=_in_a_text
    ),
    Form(
        "with the separators of thousands that it asks for", _with_asked_separators, _SEPARATED, sure=True, fewest=2,
        unless=rf"{NEGATED}|\b(?:ohne|kein\w*|sans)\b",
    ),
    *PART_FORMS,
    Form("without its plus sign", _without_plus, "", r"\bsigns?\b|\bsigned\b|\+|\bformat", fewest=2),
)  # fmt: skip
"""`sure` are those that a prompt asks for, and those without which gold is as nobody would write it."""
