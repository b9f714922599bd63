"""Gold with the word, the letter or the sign that says in which direction turned into its opposite."""

import re
from collections.abc import Sequence

from grpo_env_sdk.checking.teaching.wrong_answers.number_misses import NUMBER
from grpo_env_sdk.checking.teaching.wrong_answers.text_misses import Change

MOST_WORDS, FEWEST = 8, 2
"""How long an answer with a direction is at most, and in how many answers each direction has to be."""
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
_SIGNS = {"+": "-", "-": "+", "\u2212": "+"}
_OPPOSITE = {
    word.casefold(): other for pair in _WORDS for word, other in (pair.split(), pair.split()[::-1])
} | {letter: other for pair in _LETTERS for letter, other in (pair.split(), pair.split()[::-1])}  # fmt: skip
_WORD = re.compile(r"(?<![^\W\d_])(?:[ap]\.m\.|[^\W\d_]+)(?![^\W\d_])", re.IGNORECASE)
_SIGNED = re.compile(r"(?<![\w)\]])[+\-\u2212](?=[€$£]?\d)")


def direction_turned(texts: Sequence[str]) -> Change:
    """From a short answer with a direction to the same with its opposite, if several of these texts have that."""
    known = [direction for text in texts if (direction := _direction(text))]

    def change(text: str) -> str | None:
        found = None if NUMBER.fullmatch(text) else _place(text)
        if found is None or min(known.count(_key(found.group())), known.count(_key(_other(found)))) < FEWEST:
            return None
        return f"{text[: found.start()]}{_other(found)}{text[found.end() :]}"

    return change


def opposite_of(text: str) -> str | None:
    """A short text with its first direction turned about, if it is no more than that too; None where it has none."""
    found = _first(text)
    return f"{text[: found.start()]}{_other(found)}{text[found.end() :]}" if found else None


def _direction(text: str) -> str:
    """The one direction of an answer, in small letters; empty where it has none."""
    found = _place(text)
    return _key(found.group()) if found else ""


def _place(text: str) -> re.Match[str] | None:
    """Where a short answer says the first of its directions, beside something else."""
    found = _first(text)
    return None if found and found.group() == text.strip() else found


def _first(text: str) -> re.Match[str] | None:
    """Where a short text says the first of its directions, but for one that has its opposite too."""
    if len(text.split()) > MOST_WORDS:
        return None
    found = next((one for one in _WORD.finditer(text) if _opposite(one.group())), None)
    found = found or next(_SIGNED.finditer(text), None)
    both = found and _key(_other(found)) in map(_key, _WORD.findall(text))
    return None if both else found


def _opposite(word: str) -> str:
    return _OPPOSITE.get(word if len(word) == 1 else word.casefold(), "")


def _other(found: re.Match[str]) -> str:
    """The opposite of a direction, in letters of the same case."""
    said = found.group()
    if said in _SIGNS:
        return _SIGNS[said]
    other = _opposite(said)
    if len(said) > 1 and said.isupper():
        return other.upper()
    return other.lower() if said.islower() else other[:1].upper() + other[1:].lower() if len(said) > 1 else other


def _key(word: str) -> str:
    return word.casefold().replace("\u2212", "-")
