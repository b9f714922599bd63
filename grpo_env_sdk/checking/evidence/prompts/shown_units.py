"""The unit with which a prompt asks for a number, by an example of an answer such as `60 m^2`."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.evidence.prompts.asked_templates import SLOT
from grpo_env_sdk.late_patterns import regex

_ASKS = (
    r"(?:^|[.!?\n:;,] ?|\b(?:and|then|must|should|und|et|y) )(?:(?:please|bitte) )?"
    r"(?:answer|reply|respond|return|write|give|end|finish|state|print|antworte|schreib\w*|gib|nenne|ende|réponds|"
    r"écris|donne|termine|responde|escribe|da)\b"
)
_SUCH_AS = (
    r"(?:as in|such as|like|e\.g\.,?|for (?:example|instance),?|wie(?: in)?|z\. ?B\.|zum Beispiel|par exemple|comme|"
    r"por ejemplo|como):?"
)
_WORD = r"(?!x\d)[^\W\d_]{1,15}(?:\^?-?\d)?(?!\w)"
_EXAMPLE = regex(
    rf"{_ASKS}(?P<how>(?:[^.!?\n]|\.\d){{0,100}}?)(?P<mark>[,(:;] ?| [-\u2013] | ){_SUCH_AS} [`'\"\u201c\u201e]?"
    rf"-?\d+(?:[.,]\d+)*(?P<unit> ?{_WORD}(?:/{_WORD})?)[`'\"\u201d\u201c]?\)?(?=[.!;]?\s*$|[.!;]\s|\n)",
    re.IGNORECASE,
)
_OF_UNITS = regex(r"\b(?:units?|einheit|unité|unidad)\b", re.IGNORECASE)
_RULED_OUT = regex(
    r"\b(?:not|no|without|never|instead|rather|number|digits|ohne|nicht|kein\w*|statt|zahl|sans|pas|nombre|sin|número|solo)\b|n't\b",
    re.IGNORECASE,
)
"""What a prompt says where the example is of something else than the whole answer, or of what to avoid."""


def templates_with_units(prompt: str, answer: str) -> Iterator[str]:
    """A slot with the unit of an example behind it, for each example of an answer, if the answer is a bare number."""
    if not re.fullmatch(r"-?\d+(?:[.,]\d+)*", answer):
        return
    for found in _EXAMPLE.finditer(prompt):
        told = found["mark"].strip() or _OF_UNITS.search(found["how"])
        if told and not _RULED_OUT.search(found["how"]):
            yield SLOT + found["unit"]
