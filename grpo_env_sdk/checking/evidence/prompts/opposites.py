"""Words, letters and signs that say in which direction, and the opposite of each."""

import re

from grpo_env_sdk.late_patterns import regex

MOST_WORDS = 8
"""How many words a text with a direction has at most."""
_LETTERS = ("E W", "N S", "L R")
"""Letters are directions as capitals alone: small ones are units."""
_WORDS = (
    "east west", "eastern western", "eastward westward", "eastwards westwards", "north south", "northern southern",
    "northward southward", "northwards southwards", "left right", "up down", "upward downward", "upwards downwards",
    "above below", "over under", "higher lower", "rise fall", "rises falls", "rising falling", "rose fell",
    "increase decrease", "increases decreases", "increased decreased", "gain loss", "gained lost", "profit loss",
    "surplus deficit", "debit credit", "DR CR", "before after", "earlier later", "early late", "ahead behind",
    "fast slow", "forward backward", "forwards backwards", "clockwise anticlockwise", "clockwise counterclockwise",
    "AM PM", "a.m. p.m.", "BC AD", "BCE CE", "positive negative", "inward outward", "inwards outwards", "buy sell",
    "warmer colder", "sharp flat", "Ost West", "Nord Süd", "links rechts", "Soll Haben", "Gewinn Verlust", "vor nach",
    "est ouest", "port starboard", "deposit withdraw", "deposit withdrawal", "gauche droite", "avance retard",
)  # fmt: skip
OTHER_SIGN = {"+": "-", "-": "+", "\u2212": "+"}
_OPPOSITE = {
    word.casefold(): other for pair in _WORDS for word, other in (pair.split(), pair.split()[::-1])
} | {letter: other for pair in _LETTERS for letter, other in (pair.split(), pair.split()[::-1])}  # fmt: skip
_WORD = regex(r"(?<![^\W\d_])(?:[ap]\.m\.|[^\W\d_]+)(?![^\W\d_])", re.IGNORECASE)
_SIGNED = regex(r"(?<![\w)\]])[+\-\u2212](?=[€$£]?\d)")


def opposite_of(text: str) -> str | None:
    """A short text with its first direction turned about, if it is no more than that too; None where it has none."""
    found = first_direction(text)
    return f"{text[: found.start()]}{opposite(found)}{text[found.end() :]}" if found else None


def first_direction(text: str) -> re.Match[str] | None:
    """Where a short text says the first of its directions, but for one that has its opposite too."""
    if len(text.split()) > MOST_WORDS:
        return None
    found = next((one for one in _WORD.finditer(text) if _opposite(one.group())), None)
    found = found or next(_SIGNED.finditer(text), None)
    both = found and folded(opposite(found)) in map(folded, _WORD.findall(text))
    return None if both else found


def _opposite(word: str) -> str:
    return _OPPOSITE.get(word if len(word) == 1 else word.casefold(), "")


def opposite(found: re.Match[str]) -> str:
    """The opposite of a direction, in letters of the same case."""
    said = found.group()
    if said in OTHER_SIGN:
        return OTHER_SIGN[said]
    other = _opposite(said)
    if len(said) > 1 and said.isupper():
        return other.upper()
    return other.lower() if said.islower() else other[:1].upper() + other[1:].lower() if len(said) > 1 else other


def folded(word: str) -> str:
    """A direction as it is compared."""
    return word.casefold().replace("\u2212", "-")
