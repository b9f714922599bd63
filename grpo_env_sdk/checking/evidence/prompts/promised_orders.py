"""The order in which the description of a tool says that it lists things, and whether a list has it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any

from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, read_json
from grpo_env_sdk.late_patterns import regex

Key = float | str
Columns = dict[str, list[Key]]
"""What all items of a list show, by name, as values that can be compared."""
_PRICE = r"price|cost|cents?\b|cents?_|_cents?|eur|usd|dollar|amount|fare|[€$£]"
_DATE = (
    r"^(?!.*(?:age|old|ago|travel)).*(?:date|year|created|updated|added|posted|sent|published|built|born|timestamp|depart|starts?$|"
    r"^time$|^when$|_at$|_on$)"
)
_LENGTH = r"length|duration|minutes?\b|hours?\b|km\b|cm\b|metres|meters|pages"
_WEIGHT = r"weight|kilos?\b|kg\b|grams?\b|mass"
_FAR = r"distance|dist\b|km\b|miles?\b|metres|meters|away"
_WORDS: dict[str, tuple[int, str]] = {
    "cheapest": (1, _PRICE), "least expensive": (1, _PRICE), "dearest": (-1, _PRICE),
    "most expensive": (-1, _PRICE), "priciest": (-1, _PRICE),
    "newest": (-1, _DATE), "latest": (-1, _DATE), "most recent": (-1, _DATE), "oldest": (1, _DATE),
    "earliest": (1, _DATE), "nearest": (1, _FAR), "closest": (1, _FAR), "farthest": (-1, _FAR),
    "heaviest": (-1, _WEIGHT), "lightest": (1, _WEIGHT), "longest": (-1, _LENGTH), "shortest": (1, _LENGTH),
}  # fmt: skip
"""The words for the end of an order that is first, its direction, and the names of what is sorted by."""
_GENERIC = {"highest": -1, "largest": -1, "biggest": -1, "greatest": -1, "most": -1} | {
    "lowest": 1, "smallest": 1, "least": 1, "fewest": 1,
}  # fmt: skip
_FIRST = regex(
    rf"\b(?:from )?(?:the )?(?P<word>{'|'.join([*_WORDS, *_GENERIC])})(?: (?P<noun>[a-z_]+))?"
    r"(?: first\b| to (?:the )?(?P<end>[a-z]+est)\b)",
    re.IGNORECASE,
)
_SORTED = regex(
    r"\b(?:sorted|ordered|in (?P<before>\w+ )?order)(?: (?:by|of))(?: the| their| its)? `?(?P<noun>[a-z_]+)`?"
    r"(?:,? (?:in )?\(?(?P<after>ascending|descending|rising|falling|increasing|decreasing))?",
    re.IGNORECASE,
)
_UP, _DOWN = {"ascending", "rising", "increasing"}, {"descending", "falling", "decreasing"}
_UNSURE = regex(
    r"\b(?:then|except|but|unless|group\w*|(?:of|in|for|within) each|per|default|usually|roughly|about|pinned|last)\b",
    re.IGNORECASE,
)
"""What a sentence says where the list is no plain one."""
_NUMBER = regex(r"(?:[€$£]|[A-Z]{3}\b)?\s?(-?\d+(?:\.\d+)?)\s?(?:[€$£%]|[a-zA-Z]{0,8})")
_NAMES = regex(r"(?:^|_)(?:id|no|nr|number|code|key|index|place|rank)$", re.IGNORECASE)
"""Numbers that only name something."""
_OF_SEARCHES = {"match", "matches", "matching", "hit", "hits", "fit", "relevance", "relevant", "rank"}
"""What is not seen in what is listed."""
_THOUSANDS = regex(r"(?<=\d),(?=\d{3}(?!\d))")
_OF_TWO: dict[str, Callable[[float, float], float]] = {
    "+": lambda one, two: one + two,
    "-": lambda one, two: one - two,
    "x": lambda one, two: one * two,
    "/": lambda one, two: one / two if two else 0.0,
    "less": lambda one, two: one * (100 - two),
}
"""What may be sorted by beside a field itself: a price with its fee, or for so many pieces."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is said of an order: its words, the direction (0 for any), and a pattern for names of what is sorted by."""

    words: str
    direction: int
    named: str
    anything: bool = False
    """Whether a list of plain numbers is sorted by them."""

    def kept(self, values: Sequence[Key]) -> bool:
        """Whether values stand in this order."""
        if isinstance(values[0], str):
            rising = [_sign(str(one), str(two)) for one, two in pairwise(values)]
        else:
            rising = [(one < two) - (one > two) for one, two in pairwise(values)]  # type: ignore[operator]
        ways = [self.direction] if self.direction else [1, -1]
        return any(all(step * way >= 0 for step in rising) for way in ways)

    def columns(self, items: Sequence[Any]) -> Columns:
        """What the items show of what they are sorted by."""
        if all(isinstance(item, Mapping) for item in items):
            return {name: values for name, values in _fields(items).items() if re.search(self.named, name, re.I)}
        if self.anything and all(type(item) in (int, float) for item in items):
            return {"the numbers": [float(item) for item in items]}
        return dict(self._in_lines(items)) if all(isinstance(item, str) for item in items) else {}

    def _in_lines(self, items: Sequence[str]) -> Iterator[tuple[str, list[Key]]]:
        """The number beside such a name in each line."""
        number = r"(-?\d+(?:\.\d+)?)"
        for pattern in (rf"(?:{self.named})\W{{0,3}}{number}", rf"{number}\s?(?:{self.named})"):
            found = [re.findall(pattern, _THOUSANDS.sub("", item), re.IGNORECASE) for item in items]
            if all(len(numbers) == 1 for numbers in found):
                yield "the numbers", [float(numbers[0]) for numbers in found]


IN_ANY = Order("in any order", 0, "")


def orders_in(description: str) -> list[Order]:
    """The orders that a description promises."""
    found: list[Order] = []
    for sentence in re.split(r"(?<=[.;])\s|\n\n", description):
        if _UNSURE.search(sentence):
            continue
        found += [one for match in _FIRST.finditer(sentence) if (one := _first(match))]
        found += [one for match in _SORTED.finditer(sentence) if (one := _sorted(match))]
    return found if len(found) == 1 else []


def with_others(columns: Columns, items: Sequence[Any], without: Set[str] = frozenset()) -> Columns:
    """The same columns, and each together with another number of the items, but for some."""
    numbers = {name: values for name, values in columns_of(items).items() if isinstance(values[0], float)}
    found = dict(columns)
    for name in columns.keys() & numbers.keys():
        for other in (one for one in numbers if one != name and one not in without and not _NAMES.search(one)):
            pairs = list(zip(map(float, numbers[name]), map(float, numbers[other]), strict=True))
            found |= {f"{name} {sign} {other}": [of(*pair) for pair in pairs] for sign, of in _OF_TWO.items()}
    return found


def columns_of(items: Sequence[Any]) -> Columns:
    """All fields of items that are objects."""
    return _fields(items) if all(isinstance(item, Mapping) for item in items) else {}


def items_of(reply: str) -> list[Any]:
    """The items of a reply that is one list: in JSON, alone in an object, or line by line."""
    found = read_json(reply, NO_JSON)
    if found is NO_JSON:
        return [line for line in reply.splitlines() if line.strip()]
    if isinstance(found, dict):
        lists = [part for part in found.values() if isinstance(part, list)]
        found = lists[0] if len(lists) == 1 else []
    return found if isinstance(found, list) else []


def _first(match: re.Match[str]) -> Order | None:
    word, noun = match["word"].casefold(), match["noun"]
    if (match["end"] and noun) or str(noun).casefold() in _OF_SEARCHES:
        return None
    if word in _WORDS:
        return Order(match[0].strip(), *_WORDS[word])
    return Order(match[0].strip(), _GENERIC[word], _stem(noun) if noun else r"(?!)", anything=not noun)


def _sorted(match: re.Match[str]) -> Order | None:
    said = {str(match[one] or "").strip().casefold() for one in ("before", "after")}
    if said - _UP - _DOWN - {""} or match["noun"].casefold() in _OF_SEARCHES:
        return None
    direction = 1 if said & _UP else -1 if said & _DOWN else 0
    return Order(match[0].strip(), direction, _stem(match["noun"]))


def _stem(noun: str) -> str:
    return rf"(?:^|_){re.escape(noun.casefold().removesuffix('s')[:6])}"


def _fields(items: Sequence[Any]) -> Columns:
    """The fields of objects whose values can be compared."""
    names = set.intersection(*(set(item) for item in items))
    columns = {str(name): [_key(item[name]) for item in items] for name in sorted(names, key=str)}
    return {
        name: [key for key in keys if key is not None]
        for name, keys in columns.items()
        if None not in keys and len({type(key) for key in keys}) == 1
    }


def _key(value: Any) -> Key | None:
    """A number, also with a unit or a currency, or the text of a date or time; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value)
    text = _THOUSANDS.sub("", str(value)).strip()
    if re.match(r"\d{4}-\d\d-\d\d", text):
        try:
            return (datetime.fromisoformat(text) if len(text) > 10 else date.fromisoformat(text)).isoformat()
        except ValueError:
            return None
    if re.fullmatch(r"[0-2]\d:[0-5]\d", text):
        return text
    number = _NUMBER.fullmatch(text)
    return float(number[1]) if number else None


def _sign(one: str, two: str) -> int:
    return (one < two) - (one > two)
