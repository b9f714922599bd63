"""The same answer in other characters: digits of another script, plain marks for typographic ones, composed letters."""

import html
import re
import unicodedata
from contextlib import suppress

from grpo_env_sdk.checking.teaching.forms.form import Form
from grpo_env_sdk.late_patterns import regex

_PLAIN = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"), **dict.fromkeys("\u2018\u2019", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'), **dict.fromkeys("\u00a0\u2009\u202f\u3000", " "),
    "\u2026": "...", "\u00d7": "x", "\ufb01": "fi", "\ufb02": "fl",
    **{chr(ord(char) + 0xFEE0): char for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-/:.,%()"},
}  # fmt: skip
"""What a keyboard writes for marks that only typesetting has."""
_INVISIBLE = regex("[\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff]")
_SCRIPTS = r"\bdigits?\b|\bnumerals?\b|全角|半角|\bunicode\b|full[- ]?width|الأرقام|بالأرقام"
_MARKS = r"\bunicode\b|typograph|\bquot|\bdash|\bhyphen|exactly as"
_NORMAL_FORMS = r"\bunicode\b|\bnfk?[cd]\b|compos|\bcombining\b|normali[sz]|code ?points?|exactly as"


def _in_ascii_digits(core: str, prompt: str) -> str | None:
    """Digits of another script as 0 to 9."""
    plain = "".join(str(unicodedata.decimal(char, char)) if not char.isascii() else char for char in core)
    return plain if plain != core else None


def _in_digits_of_prompt(core: str, prompt: str) -> str | None:
    """The digits 0 to 9 as those of the prompt, where it has only others."""
    shown = [char for char in prompt if char.isdecimal()]
    if not shown or any(char.isascii() for char in shown) or not re.search("[0-9]", core):
        return None
    zero = ord(shown[0]) - unicodedata.decimal(shown[0])
    return re.sub("[0-9]", lambda found: chr(zero + int(found.group())), core)


def _as_typed(core: str, prompt: str) -> str | None:
    """A text with the marks that a keyboard has, and letters of the usual width, unless its prompt has the others."""
    unusual = {char for char in core if char in _PLAIN or _INVISIBLE.match(char)}
    if not unusual or unusual & set(prompt):
        return None
    return "".join(_PLAIN.get(char, char) for char in _INVISIBLE.sub("", core))


def _composed(core: str, prompt: str) -> str | None:
    """The same letters with their accents in them, where gold has these as characters of their own."""
    text = unicodedata.normalize("NFC", core)
    return text if len(text) < len(core) else None


def _decoded(core: str, prompt: str) -> str | None:
    """A text without entities of HTML, and with its letters as they were before they were read in a wrong encoding."""
    plain = html.unescape(core)
    with suppress(UnicodeError):
        plain = plain.encode("cp1252").decode() if not plain.isascii() else plain
    return plain if plain != core and core not in prompt else None


COMPOSED = Form("in composed letters", _composed, "", _NORMAL_FORMS, sure=True, fewest=2)
LETTER_FORMS = (
    Form("as it is read", _decoded, "", r"\bHTML\b|\bXML\b|entit|encod|escap", sure=True, fewest=2),
    Form("in the digits 0 to 9", _in_ascii_digits, "", _SCRIPTS, sure=True, fewest=2),
    Form("in the digits of its prompt", _in_digits_of_prompt, "", _SCRIPTS, fewest=2),
    Form("with the marks of a keyboard", _as_typed, "", _MARKS, sure=True, fewest=2),
    COMPOSED,
)
"""`sure` are those that say the same in any case."""
