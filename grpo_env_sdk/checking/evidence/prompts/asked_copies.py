"""Gold that is written otherwise than what is shown: signs that look the same, or any where a copy is asked for."""

import re
import unicodedata

from grpo_env_sdk.checking.evidence.prompts.broken_form import BrokenForm
from grpo_env_sdk.checking.evidence.prompts.english import in_english
from grpo_env_sdk.late_patterns import regex

FEWEST_SIGNS, MOST_SIGNS = 3, 80
_SHOWN = r"(?:written|shown|printed|listed|spel\w+|(?:stands?|appears?) (?:in|on))\b[\w ]{0,30}"
_ASKED = regex(
    rf"\b(?:exactly|just|literally|precisely)(?: \w+){{0,3}}? as (?:(?:it|they|that) )?(?:is |are |was |were )?{_SHOWN}"
    rf"|\bas (?:it|they) (?:is |are )?{_SHOWN}|\bverbatim\b|\b(?:character|letter) (?:for|by) (?:character|letter)\b",
    re.IGNORECASE,
)
_QUOTES, _DASHES = "'\"\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u2032\u2033`\u00b4", "\\-\u2010-\u2015\u2212"
_UNSEEN, _NO_MORE = "[\u00ad\u200b\u2060\ufeff]*", "(?![\u0300-\u036f]|[^\\W_])"
_SIGNS_BETWEEN = rf"[\s.,:/{_QUOTES}{_DASHES}\u00ad\u200b\u2060\ufeff\u0300-\u036f]{{0,2}}"
_ABOUT_SIGNS = regex(
    r"\b(?:unicode|nf[ck]?d|nfk?c|ascii|normali[sz]\w*|canonical\w*|typograph\w*|punctuat\w*|quot(?:e|es|ation marks?)|"
    r"apostroph\w*|dash\w*|hyphen\w*|spac(?:e|es|ing)|white ?space|accents?|diacrit\w*|ligatures?|clean\w*|correct\w*|"
    r"fix\w*|repair\w*|restor\w*|tid(?:y|ied)|convert\w*|rewrit\w*|re-?typ\w*|spell\w*|format\w*|escap\w*|encod\w*|"
    r"decod\w*|minus|slug|translat\w*|transcrib\w*|transliterat\w*)\b",
    re.IGNORECASE,
)
"""What a prompt says where the signs of a text are what its task is about."""
_ABOUT_CASE = regex(r"\b(?:case|capital\w*|lower\w*|upper\w*|letters?|code|JSON|slug|label)\b", re.IGNORECASE)
"""What an English prompt says where capitals may be; others may ask for them in words that are not read."""


def broken_copy(prompt: str, shown: str, text: str) -> BrokenForm | None:
    """What a prompt asks to copy as it is shown, where only other signs or letters of it are shown; None elsewhere."""
    asked = _ASKED.search(prompt)
    copies = _copies(shown, text) if asked else ()
    return BrokenForm(asked.group().strip(), copies) if asked and copies else None


def unlike_shown(prompt: str, shown: str, text: str) -> BrokenForm | None:
    """A text that is shown but for Unicode forms, letter case, and kinds of spaces, quotation marks and dashes."""
    text = text.strip()
    if text in shown or not _has_letters(text) or _letters(text) not in _letters(shown):
        return None
    if _ASKED.search(prompt) or _ABOUT_SIGNS.search(prompt):
        return None
    pattern = _UNSEEN.join(map(_in_any_kind, unicodedata.normalize("NFC", text)))
    flags = 0 if _ABOUT_CASE.search(prompt) or not in_english(prompt) else re.IGNORECASE
    found = re.finditer(rf"(?<![^\W_]){pattern}{_NO_MORE}", shown, flags)
    copies = tuple(sorted({one.group() for one in found}))
    return BrokenForm("", copies) if copies else None


def look_alike(one: str, other: str) -> bool:
    """Whether two texts differ in nothing that is seen: Unicode forms, no-break spaces and signs without a width."""
    return _composed(one) == _composed(other)


def _composed(text: str) -> str:
    return " ".join(re.sub(_UNSEEN, "", unicodedata.normalize("NFC", text)).split())


def _copies(shown: str, text: str) -> tuple[str, ...]:
    """What is shown with the letters and digits of a text, and with other signs between them."""
    letters = re.findall(r"[^\W_]", unicodedata.normalize("NFC", text))
    if text.strip() in shown or not _has_letters(text):
        return ()
    pattern = _SIGNS_BETWEEN.join(map(_in_any_form, letters))
    found = re.finditer(rf"(?<![^\W_]){pattern}{_NO_MORE}", shown, re.IGNORECASE)
    return tuple(sorted({one.group() for one in found}))


def _letters(text: str) -> str:
    """The letters and digits alone, the same in every case and Unicode form."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFC", text).casefold())


def _has_letters(text: str) -> bool:
    """Whether a text has enough letters or digits to be found by them."""
    return FEWEST_SIGNS <= len(re.findall(r"[^\W_]", text)) <= MOST_SIGNS


def _in_any_kind(sign: str) -> str:
    """A sign in each of the kinds that look the same or nearly so."""
    kinds = (kinds for kinds in (rf"[{_QUOTES}]", rf"[{_DASHES}]", r"\s+") if re.fullmatch(kinds, sign))
    return next(kinds, _in_any_form(sign))


def _in_any_form(letter: str) -> str:
    """A letter, composed or with its accents as signs of their own."""
    apart = unicodedata.normalize("NFD", letter)
    return re.escape(letter) if apart == letter else f"(?:{re.escape(letter)}|{re.escape(apart)})"
