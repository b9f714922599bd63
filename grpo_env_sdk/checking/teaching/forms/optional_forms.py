"""What a prompt says may be written or left out: a unit, a sign of currency, separators, spaces, zeros, capitals."""

import re
from collections.abc import Callable

from grpo_env_sdk.checking.teaching.forms.form import Form

_NUMBER = r"-?\d[\d,]*(?:\.\d+)?"


_OF_ANSWERS = r"[\s\S]*\b(?:answers?|repl(?:y|ies)|graded|grading|scor\w+|compar\w+)\b"
"""What a sentence speaks of where it is not about the task itself, such as a list to be sorted whatever its case."""


def _may_be(what: str) -> str:
    """What a sentence says that makes something optional."""
    free = r"(?:is |are )?(?:optional\b|not needed|not required|may be (?:left out|omitted|added|included))"
    ignored = rf"(?:{what}) (?:do|does)(?: not|n't) matter|(?:ignor\w+|regardless of) (?:the )?(?:{what})"
    return (
        rf"\bwith(?: or without|, or without,|out or with)(?: \w+){{0,2}}? (?:{what})|"
        rf"\b(?:{what})(?: \w+){{0,3}}? {free}|\boptional (?:{what})|\A(?={_OF_ANSWERS})(?=[\s\S]*\b(?:{ignored}))"
    )


def _without_unit(core: str, prompt: str) -> str | None:
    found = re.fullmatch(rf"({_NUMBER}) ?(?:[^\W\d_]+\.?|%|°[CF]?)", core)
    return found[1] if found else None


def _without_currency(core: str, prompt: str) -> str | None:
    found = re.fullmatch(rf"(?:[$€£¥] ?({_NUMBER})|({_NUMBER}) ?[$€£¥])", core)
    return (found[1] or found[2]) if found else None


def _with_currency(core: str, prompt: str) -> str | None:
    sign = re.search(r"[$€£¥](?= ?\d)", prompt)
    return f"{sign[0]}{core}" if sign and re.fullmatch(_NUMBER, core) else None


def _other_thousands(core: str, prompt: str) -> str | None:
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", core):
        return core.replace(",", "")
    return f"{int(core):,}" if re.fullmatch(r"[1-9]\d{3,8}", core) else None


def _without_spaces(core: str, prompt: str) -> str | None:
    return core.replace(" ", "") if 0 < core.count(" ") < 12 and re.search(r"[\d,+*/=-]", core) else None


def _with_zero(core: str, prompt: str) -> str | None:
    return f"0{core}" if core.isdecimal() and not core.startswith("0") else None


def _without_zeros(core: str, prompt: str) -> str | None:
    return (core.lstrip("0") or None) if core.isdecimal() and core.startswith("0") else None


def _in_case(change: Callable[[str], str]) -> Callable[[str, str], str | None]:
    return lambda core, _: change(core) if re.fullmatch(r"[\w '-]+", core) else None


_MUST = r"\b(?:must|never|cannot)\b"
_UNIT = _may_be(r"units?")
_CURRENCY = _may_be(r"(?:currency|dollar|euro|pound) (?:sign|symbol)s?|currency|[$€£¥]")
_THOUSANDS = _may_be(r"(?:thousands? )?separators?|thousands? commas?|commas")
_ZEROS = _may_be(r"leading zeros?")
_SPACES = _may_be(r"spaces?|blanks?")
_CASE = _may_be(r"case|capitali[sz]ation|capitals")
OPTIONAL_FORMS = (
    Form("without the unit, which is optional,", _without_unit, _UNIT, sure=True, unless=_MUST),
    Form("without the sign of the currency, which is optional,", _without_currency, _CURRENCY, sure=True, unless=_MUST),
    Form("with the sign of the currency, which is optional,", _with_currency, _CURRENCY, sure=True, unless=_MUST),
    Form("with or without separators, which are optional,", _other_thousands, _THOUSANDS, sure=True, unless=_MUST),
    Form("without spaces, which are optional,", _without_spaces, _SPACES, sure=True, unless=_MUST),
    Form("with a zero in front, which is optional,", _with_zero, _ZEROS, sure=True, unless=_MUST),
    Form("without zeros in front, which are optional,", _without_zeros, _ZEROS, sure=True, unless=_MUST),
    Form("in capitals, which make no difference,", _in_case(str.upper), _CASE, sure=True, unless=_MUST),
    Form("in small letters, which make no difference,", _in_case(str.lower), _CASE, sure=True, unless=_MUST),
)
