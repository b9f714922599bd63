"""A number with a unit that other rows or the prompts have, or that is usual beside its own."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.teaching.wrong_answers.number_misses import NUMBER
from grpo_env_sdk.checking.teaching.wrong_answers.text_misses import Change
from grpo_env_sdk.late_patterns import regex

FEWEST = 2
_WORD = r"[°µ]?[^\W\d_]{1,12}(?:\^?[23²³])?"
UNIT = rf"{_WORD}(?:/{_WORD})?"
_QUANTITY = regex(rf"([^\d\n]{{0,40}}(?<![\w.,/-]))?({NUMBER.pattern})( ?)({UNIT})([.\s]*)")
_ORDINAL = regex(r"(?:(?i:st|nd|rd|th|er|re|ème)|e|º|ª)\.?")
_LISTED = regex(r"\bunits?\b[^.?!\n(]{0,30}\(([^()\n]{3,80})\)", re.IGNORECASE)
_EITHER = regex(rf"\b(?:in|as) (?:either )?({UNIT}) or (?:in )?({UNIT})(?!\w)", re.IGNORECASE)
_BETWEEN = regex(r",?\s+(?:or|and)\s+|[,;]\s*")
_ASKED = regex(
    r"\b(?:with|and|plus|includ\w*|give|name|state|write|add)\b(?: (?:a|the|its|their|your|correct|right|proper))*"
    r" units?\b",
    re.IGNORECASE,
)
_NOT_ASKED = regex(r"(?:\b(?:no|not|without|ignor\w*|optional\w*)\b|n't\b)[^.?!\n]{0,30}\bunits?\b", re.IGNORECASE)
_BESIDE = {
    "km": "miles", "m": "km", "cm": "m", "mm": "cm", "kg": "g", "g": "kg", "h": "min", "min": "h", "s": "min",
    "kilometres": "metres", "kilometers": "meters", "metres": "kilometres", "meters": "kilometers", "miles": "km",
    "hours": "minutes", "minutes": "hours", "seconds": "minutes", "days": "weeks", "weeks": "days",
    "grams": "kilograms", "kilograms": "grams", "litres": "millilitres", "liters": "milliliters",
    "euros": "dollars", "dollars": "euros", "EUR": "USD", "USD": "EUR",
}  # fmt: skip
"""Another unit for the same kind of thing, by each of the most usual ones."""


def unit_of_others(texts: Sequence[str], prompts: Sequence[str]) -> Change:
    """From a number with its unit to the same with another unit of these texts or prompts, or else with a usual one."""
    known = _units_of(texts, prompts)

    def change(text: str) -> str | None:
        found = _QUANTITY.fullmatch(text)
        if found is None or not found[2].strip("-0.,") or _ORDINAL.fullmatch(found[4]):
            return None
        other = next((unit for unit in known if _is_another(unit, found[4])), _BESIDE.get(found[4]))
        return f"{found[1] or ''}{found[2]}{found[3]}{other}{found[5]}" if other else None

    return change


def asks_for_units(prompts: Sequence[str]) -> bool:
    """Whether each of these prompts asks for a number with its unit."""
    return all(_ASKED.search(prompt) and not _NOT_ASKED.search(prompt) for prompt in prompts)


def _units_of(texts: Sequence[str], prompts: Sequence[str]) -> list[str]:
    """The units of texts that have several, the most frequent first, and then those that prompts offer."""
    found = [hit[4] for text in texts if (hit := _QUANTITY.fullmatch(text)) and not _ORDINAL.fullmatch(hit[4])]
    of_texts = [unit for unit, times in Counter(found).most_common() if times >= FEWEST]
    return list(dict.fromkeys([*of_texts, *(unit for prompt in prompts for unit in _offered(prompt))]))


def _offered(prompt: str) -> Iterator[str]:
    """The units that a prompt lists, or of which it says that either may be used."""
    for listed in _LISTED.findall(prompt):
        units = [unit.strip(" `'\"") for unit in _BETWEEN.split(listed)]
        yield from units if all(re.fullmatch(UNIT, unit) for unit in units) else ()
    for either in _EITHER.findall(prompt):
        yield from either


def _is_another(one: str, other: str) -> bool:
    """Whether two units begin with different letters: those of the same letter may be one in two spellings."""
    return one.strip("°")[:1].casefold() != other.strip("°")[:1].casefold()
