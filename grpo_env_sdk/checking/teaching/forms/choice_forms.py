"""Answers in the kinds between which a prompt leaves the choice: a fraction or a decimal, digits or words."""

import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.teaching.forms.form import NEGATED, Form
from grpo_env_sdk.checking.teaching.forms.number_forms import digits_as_words, words_as_digits
from grpo_env_sdk.late_patterns import regex

_VALUE = regex(r"(-?\d+(?:/[1-9]\d*|\.\d+)?) ?(%?)")
_OPTION = regex(r"^\s*\(?([A-Ha-h])[).:]\s+(\S.*?)\s*$", re.MULTILINE)
_LONGEST = 7
"""The most characters of a decimal that is a value in full."""


def _value(core: str) -> Fraction | None:
    found = _VALUE.fullmatch(core)
    return None if found is None else Fraction(found[1]) / (100 if found[2] else 1)


def _in_full(value: Fraction) -> str | None:
    """A decimal that says all of a value."""
    text = f"{float(value):.6f}".rstrip("0").rstrip(".")
    return text if Fraction(text) == value and len(text) <= _LONGEST else None


def _fraction(core: str, prompt: str) -> str | None:
    value = _value(core)
    return str(value) if value is not None and value.denominator > 1 and "/" not in core else None


def _decimal(core: str, prompt: str) -> str | None:
    value = _value(core)
    return _in_full(value) if value is not None and not re.fullmatch(r"-?[\d.]+", core) else None


def _percentage(core: str, prompt: str) -> str | None:
    value = _value(core) if "%" not in core else None
    percent = None if value is None or value.denominator == 1 else _in_full(value * 100)
    return f"{percent}%" if percent else None


def _letter(core: str, prompt: str) -> str | None:
    letters = [letter for letter, text in _OPTION.findall(prompt) if text.casefold() == core.casefold()]
    return letters[0] if len(letters) == 1 else None


def _text(core: str, prompt: str) -> str | None:
    texts = [text for letter, text in _OPTION.findall(prompt) if letter == core]
    return texts[0] if len(texts) == 1 else None


_KINDS: dict[str, tuple[str, Callable[[str, str], str | None]]] = {
    "a fraction": (r"fractions?", _fraction),
    "a decimal": (r"decimals?(?: numbers?| fractions?)?", _decimal),
    "a percentage": (r"per ?cent(?:age)?s?", _percentage),
    "digits": (r"digits|numerals|figures", words_as_digits),
    "words": (r"words", digits_as_words),
    "the letter of the option": (r"letter(?: of (?:the|an|your) \w+)?", _letter),
    "the text of the option": (r"(?:text|wording)(?: of (?:the|an|your) \w+)?", _text),
}
_NUMBERS = ("a fraction", "a decimal", "a percentage")
_ANY = "|".join(words for words, _ in _KINDS.values())
_ONE = (
    rf"(?:(?:as|in|with|using) )?(?:an? |(?:the |its )(?=letter|full|whole|text|wording))?"
    rf"(?:(?!the |its )[^\W\d_]+ )?(?:{_ANY})"
)
_CHOICE = regex(
    rf"\b(?<!the ){_ONE}(?:,? (?:or|and) |, | ?/ ?)(?:{_ONE}(?:,? (?:or|and) |, | ?/ ?))*{_ONE}\b", re.IGNORECASE
)
_FINE = regex(r"\b(?:as you (?:like|wish|please|prefer)|fine|accept\w*|allowed|okay|ok)\b", re.IGNORECASE)
_FOR_ANSWERS = regex(
    rf"{_FINE.pattern}|\b(?:answer|reply|response|result|solution)s?\b|\byou (?:may|can|could|should|must)\b|"
    r"(?:^\W*|[,;:] |\b(?:and|then|please|to) )(?:write|respond|give|state|express|enter|say)\b|"
    r"\b(?:write|give|state|express|put) it\b|\bit (?:may|can|should) be\b|\b(?:as|in|with) an? .*\?",
    re.IGNORECASE,
)
"""What a sentence says that is about the answer: commands, what the answer or you may be or do, and questions."""
_OF_KIND = r"\b(?:in|as|with) (?:an? (?:[^\W\d_]+ )?)?"
_NOT_OF_KIND = regex(rf"\bnot {_OF_KIND}(?:{_ANY})\b", re.IGNORECASE)
_RULED_OUT = regex(
    rf"{NEGATED}|\b(?:(?:which|that|who|tools?|calculator) (?:accept|allow)\w*|"
    r"if|when|where|whichever (?!you)|depend\w*|unless|except|whether|same|form|used?|uses|asked|"
    r"appropriate|places?|round\w*|nearest|convert\w*|(?:is|are|was|were) (?:\w+ )?(?:given|written|shown|stated)|"
    r"first|then|respectively|beside|too|points?|at most|up to)\b",
    re.IGNORECASE,
)
"""What a sentence says whose choice is not free, or that is not about the answer."""


@lru_cache(maxsize=128)
def _choices(prompt: str) -> frozenset[str]:
    """The kinds of answers between which a sentence leaves the choice."""
    found: set[str] = set()
    sentences = list(sentences_of(prompt))
    for said in sentences:
        choice = _CHOICE.search(said)
        if choice is None or not _FOR_ANSWERS.search(said) or _RULED_OUT.search(said):
            continue
        named = {kind for kind, (words, _) in _KINDS.items() if re.search(rf"\b(?:{words})\b", choice[0], re.I)}
        free = re.search(r"\bor\b|/", choice[0], re.I) or _FINE.search(said)
        one_is_asked = any(_asks_for_one(other, named) for other in sentences if other != said)
        found |= named if free and len(named) > 1 and not one_is_asked else set()
    return frozenset(found)


def _asks_for_one(said: str, kinds: set[str]) -> bool:
    """Whether a sentence names exactly one of these kinds for what it asks, or one that is not to be."""
    named = [kind for kind in kinds if re.search(rf"{_OF_KIND}(?:{_KINDS[kind][0]})\b", said, re.IGNORECASE)]
    return len(named) == 1 or _NOT_OF_KIND.search(said) is not None


def _where_allowed(kind: str) -> Callable[[str, str], str | None]:
    write, is_number = _KINDS[kind][1], kind in _NUMBERS

    def written(core: str, prompt: str) -> str | None:
        if kind not in _choices(prompt) or (is_number and core in prompt):  # then it may be one of those that are shown
            return None
        return write(core, prompt)

    return written


CHOICE_FORMS = tuple(Form(f"as {kind}, which it allows,", _where_allowed(kind), sure=True) for kind in _KINDS)
