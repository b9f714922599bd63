"""Rows of `test` with the numbers of a row of `train`, in digits or in words, and with its rare words."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping

from grpo_env_sdk.late_patterns import regex

Texts = Mapping[int, str]
Key = Hashable
REPEATED, COMMON = 0.05, 0.35
"""The share of rows of `train` with the same key as another one from which a key says nothing; and the share of the
rows of a split from which a word is a part of how it asks."""
FEWEST_DIGITS = 3
_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_OTHERS = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn",
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve",
)
_TENS = {
    word: 10 * number
    for number, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_ONES = {word: number for number, word in enumerate(_ENGLISH.split())}
_DIGITS = {word: str(number) for word, number in _ONES.items()}
_FOREIGN = {
    word: str(number)
    for words in _OTHERS for number, word in enumerate(words.split()) if word not in _ONES and number > 1
}  # fmt: skip
_COMPOUND = regex(rf"\b({'|'.join(_TENS)})(?:[ -]({'|'.join(list(_ONES)[1:10])}))?\b")
_PART = regex(r"\d+(?:[.,]\d+)*|[^\W\d_]+")


def in_digits(text: str) -> str:
    """A text in small letters and without marks, whose English number words are digits."""
    text = _COMPOUND.sub(lambda found: str(_TENS[found[1]] + _ONES.get(found[2], 0)), text.casefold())
    return " ".join([_DIGITS.get(word, word) for word in _PART.findall(text)])


def numbered_twins(train: Texts, test: Texts, digits: Texts, same: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    """Each row of `test` with the row of `train` that has the same numbers, or these and the same rare words.

    `digits` are the texts `in_digits`. Nothing is found where rows of `train` are as alike among themselves, or where
    `same` says that answers differ.
    """
    texts = {**train, **test}
    foreign = {row: " ".join([_FOREIGN.get(word, word) for word in digits[row].split(" ")]) for row in texts}
    rare = _rare_words(*({row: digits[row] for row in half} for half in (train, test)))
    forms: tuple[Callable[[int], Key | None], ...] = (
        lambda row: _numbers(texts[row]),
        lambda row: _numbers(digits[row]),
        lambda row: _numbers(foreign[row]),
        lambda row: _with_words(digits[row], rare),
    )
    found = (_twins(train, test, form, same) for form in forms)
    return max(found, key=len)


def _twins(
    train: Texts, test: Texts, form: Callable[[int], Key | None], same: Callable[[int, int], bool]
) -> list[tuple[int, int]]:
    keys = {row: key for row in train if (key := form(row)) is not None}
    counted = Counter(keys.values())
    if sum(counted[key] > 1 for key in keys.values()) > REPEATED * len(keys):
        return []
    known = {key: row for row, key in keys.items()}
    pairs = [(row, known[key]) for row in test if (key := form(row)) in known]
    return [pair for pair in pairs if same(*pair)]


def _numbers(text: str) -> Key | None:
    """The numbers of a text that has several, of three digits or more in all."""
    numbers = re.findall(r"\d+", text)
    return tuple(numbers) if len(numbers) > 1 and sum(map(len, numbers)) >= FEWEST_DIGITS else None


def _with_words(text: str, rare: set[str]) -> Key | None:
    """The numbers of a text in any order, with its rare words, where there are two of each."""
    numbers, words = sorted(re.findall(r"\d+", text)), sorted(rare.intersection(text.split()))
    return (tuple(numbers), tuple(words)) if len(numbers) > 1 and len(words) > 1 else None


def _rare_words(train: Texts, test: Texts) -> set[str]:
    """The words that are in some texts of both splits, and in most of neither."""
    kept = []
    for texts in (train, test):
        counted = Counter(word for text in texts.values() for word in set(text.split()) if not word[0].isdigit())
        kept.append({word for word, count in counted.items() if count <= COMMON * len(texts)})
    return kept[0] & kept[1]
