"""What a text says that numbers stand for: 0 for Monday; 1 low, 2 normal, 3 high; months from 1 to 12."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.prompts.asked_dates import MONTHS, WEEKDAYS
from grpo_env_sdk.late_patterns import regex

FEWEST_NAMED = 3
"""How many numbers of words that are in no known order are named at least."""
_ORDERS = (
    "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
)
_SHORT = {name[:3]: name for name in (*WEEKDAYS, *MONTHS) if name != "May"}
_SHORT_ORDERS = [[name[:3] for name in order] for order in (WEEKDAYS, MONTHS)]
_IN_ORDER = (WEEKDAYS, MONTHS, *map(str.split, _ORDERS))
_NUMBER = r"(?<![\w.,-])(\d{1,2})(?![\w.]*\d)"
_WORD = r"['\"`]?([^\W\d_]{3,})\b"
_NUMBER_FIRST = regex(
    rf"{_NUMBER}(?:\s*(?:=|:|->|→|\u2013|—|-|\()\s*|\s+(?:(?:is|for|means|stands for|meaning)\s+)?){_WORD}"
)
_WORD_FIRST = regex(rf"{_WORD}['\"`]?(?:\s*(?:=|:|->|→|\()\s*|\s+(?:is|as)\s+){_NUMBER}")
_MONTHS = regex(r"\bmonths?\b", re.IGNORECASE)
_FROM = regex(
    r"\b([01])(?: ?[-\u2013] ?| (?:to|through|and|up to) )1[12]\b|\b(zero|one|[01])-(?:based|indexed)\b", re.I
)

_PLACES = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_SHORT_PLACES = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th"]
_FIRST_PLACE = regex(
    r"\b(zero|one|[01])-(?:based|indexed)\b|"
    r"\b(?:count\w*|number\w*|index\w*|start\w*)\b[^.\n]{0,20}? (?:from|at|with) (zero|one|[01])\b|"
    r"\b(?:the )?first (?:\w+ )?(?:is|being|=) (?:number |no\.? )?(zero|one|[01])\b|"
    r"\b(zero|one|[01]) (?:is|means|for|being|=) the first\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NamedNumbers:
    """The number that each word stands for, and after how many they begin again; 0 where they do not."""

    numbers: Mapping[str, int]
    around: int = 0

    def shift(self, word: str, number: int) -> int:
        """How far a number is above the one that a word stands for, the short way around."""
        apart = number - self.numbers[word]
        return (apart + 1) % self.around - 1 if self.around else apart

    def named_in(self, text: str) -> set[str]:
        """The words that a text has."""
        flags = 0 if self.around else re.IGNORECASE
        return {word for word in self.numbers if re.search(rf"(?<!\w){_written(word)}(?!\w)", text, flags)}

    @property
    def pattern(self) -> str:
        """The pattern of any of the words."""
        return f"(?:{'|'.join(map(_written, self.numbers))})"


def named_numbers(text: str) -> NamedNumbers | None:
    """What a text says that numbers stand for; None where it says it of none."""
    number_first = [(word, int(number)) for number, word in _NUMBER_FIRST.findall(text)]
    word_first = [(word, int(number)) for word, number in _WORD_FIRST.findall(text)]
    for order in _IN_ORDER:
        places = [(order.index(word), number) for word, number in number_first + word_first if word in order]
        if not places and "January" in order and _MONTHS.search(text) and (base := _base(text)) is not None:
            places = [(0, base)]
        if places:
            return _of_order(order, places)
    for order in _SHORT_ORDERS:
        places = [(order.index(word), number) for word, number in number_first + word_first if word in order]
        if len(places) > 1 and (found := _of_order(order, places)):
            return found
    return _of_words(number_first) or _of_words(word_first) or _of_places(text)


def without_names(text: str) -> str:
    """A text without what it says that numbers stand for."""
    return _WORD_FIRST.sub(" ", _NUMBER_FIRST.sub(" ", text))


def _written(word: str) -> str:
    """The pattern of a word, and of the whole name of a day or month that it shortens."""
    return f"{word}(?:{_SHORT[word][3:]})?" if word in _SHORT else re.escape(word)


def _base(text: str) -> int | None:
    """The number of the first month, where a text says from where to where they go, or where they start."""
    found = {1 if (first or word).casefold() in ("1", "one") else 0 for first, word in _FROM.findall(text)}
    return found.pop() if len(found) == 1 else None


def _of_words(pairs: Sequence[tuple[str, int]]) -> NamedNumbers | None:
    """Several words with one number each, none of which is left out between them."""
    words, numbers = dict(pairs), sorted(number for _, number in pairs)
    several = len(words) == len(pairs) >= FEWEST_NAMED
    return NamedNumbers(words) if several and numbers == list(range(numbers[0], numbers[0] + len(numbers))) else None


def _of_places(text: str) -> NamedNumbers | None:
    """The number of the first place, the second and so on, where a text says from where they are counted."""
    found = {1 if "".join(said).casefold() in ("1", "one") else 0 for said in _FIRST_PLACE.findall(text)}
    if len(found) != 1:
        return None
    (first,) = found
    return NamedNumbers({word: at + first for words in (_PLACES, _SHORT_PLACES) for at, word in enumerate(words)})


def _of_order(order: Sequence[str], places: Sequence[tuple[int, int]]) -> NamedNumbers | None:
    """The numbers of all words of an order from those of some; None where these contradict each other."""
    size = len(order)
    place, lowest = min(places, key=lambda one: one[1])
    if lowest > 1 or any((at - place) % size != number - lowest for at, number in places):
        return None
    return NamedNumbers({word: lowest + (at - place) % size for at, word in enumerate(order)}, size)
