"""Gold with two of its parts exchanged, or with the text of the prompt that it corrects in its place."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise

from grpo_env_sdk.late_patterns import regex

NUMBER = regex(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|(?<![^\W_])(?<!\d\.)\d+(?:\.\d+)?(?!\d)")
DATE = regex(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
WORD = regex(r"(?<!\\)\b[^\W\d_]{3,}")
_ORDERED = regex(
    r"\bsort|\border(?!s\b)|alphabet|\brank|sequence|ascend|descend|revers|chronolog|smallest|largest|first to last|"
    r"\bfrom (?:the )?(?:most|least|\w+est)\b|\b(?:\w+est|most \w+|least \w+)\b[^.?!\n]{0,20} (?:first|last)\b|"
    r"\b(?:start|begin)\w* (?:with|from|at) (?:the )?(?:most|least|first|\w+est)\b|"
    r"reihenfolge|sortier|aufsteigend|absteigend|beginne\w* mit|zuerst|\bl'ordre\b|croissant|commen[cç]\w+ par|"
    r"\borden\b|ordena|empez\w+ por|de mayor|de menor|\bordem\b|\bordine\b|crescente|volgorde|oplopend|kolejno|"
    r"порядк|начиная|順に|順番|顺序"
)
_ANY_ORDER = regex(
    r"any (?:such|valid) |\bany (?:\w+ ){1,4}will do\b|any order|"
    r"order (?:does not|doesn't|is not|isn't|is irrelevant)|any sequence|beliebig\w* reihenfolge|"
    r"reihenfolge (?:ist )?(?:egal|beliebig|spielt)|n'importe quel ordre|cualquier orden|"
    r"qualquer ordem|qualsiasi ordine"
)
_LISTED = regex(r"(?s)(|.*?[:>{\[(]\s*)([^:<>{}\[\]()]+?)(|\s*[.<}\])].*)")
"""A list in the form of an answer: what is before it, its items, and what is behind them."""
_ITEM = regex(r"\"?-?\w[\w.'#♯♭-]*(?: [\w.'-]+){0,2}\"?")
_ARROWS = (" > ", " -> ", " < ", " → ")
"""What stands between the items of an order."""
_PAIR = regex(r"\\d?frac\{(\d+)\}\{(\d+)\}|\((-?\d+), ?(-?\d+)\)|\b(\d+) ?[/:] ?(\d+)\b")
_LABELLED = regex(r"([^\W\d_]\w*)\s*[=:]\s*(-?\d+(?:\.\d+)?)")
SMALL = regex(r"\b(?:the|an?|is|are|was|of|to|in|at|on|by|for|from|with|than|does|le|der|die|das|el)\b", re.I)
_ABOUT_SPELLING = regex(r"accent|diacrit|capital|upper|lower ?case|punctuat|spell|restore|apostroph|typo")


def swapped(text: str) -> str | None:
    """Two numbers exchanged whose order means something: of a fraction, a pair, or behind two labels."""
    if found := _PAIR.search(text) or DATE.search(text):
        spans = [found.span(place) for place, value in enumerate(found.groups(), 1) if value is not None]
    else:
        labelled = {label[1]: label for label in _LABELLED.finditer(text)}
        spans = [label.span(2) for label in labelled.values()] if len(labelled) > 1 else []
    return _exchanged(text, spans[:2])


def _exchanged(text: str, spans: Sequence[tuple[int, int]]) -> str | None:
    """A text with two of its parts exchanged; None where they are equal."""
    values = [text[start:end] for start, end in spans]
    if len(spans) < 2 or values[0].casefold() == values[1].casefold():
        return None
    (start, end), (begin, stop) = spans
    return text[:start] + values[1] + text[end:begin] + values[0] + text[stop:]


def digit_moved(places: Sequence[re.Match[str]], text: str) -> str | None:
    """The last digit of one whole number put in front of the next one: 12/5 as 1/25, whose digits are the same."""
    for one, other in pairwise(places):
        number, next_ = one.group(), other.group()
        if number.isdecimal() and next_.isdecimal() and len(number) > 1 and number[-1] != "0":
            between = text[one.end() : other.start()]
            return f"{text[: one.start()]}{number[:-1]}{between}{number[-1]}{next_}{text[other.end() :]}"
    return None


def places_swapped(text: str) -> str | None:
    """Two numbers exchanged that are behind and before different words, so that their places mean something."""
    found = list(NUMBER.finditer(text))
    for one, other in pairwise(found):
        around = [(_last_word(text[: place.start()]), _first_word(text[place.end() :])) for place in (one, other)]
        (before, after), (behind, next_) = around
        if one.group() != other.group() and before != behind and after != next_ and (after or next_):
            return _exchanged(text, [one.span(), other.span()])
    return None


def _last_word(text: str) -> str:
    return next(iter(re.findall(r"\w+", text)[-1:]), "")


def _first_word(text: str) -> str:
    return next((word for word in re.findall(r"\w+", text)[:1] if not re.fullmatch(r"\d+|and|or", word)), "")


def is_framed(texts: Sequence[str]) -> bool:
    """Whether these texts have a word in the same place, as sentences of one form have, and orders have not."""
    return any(len(set(words)) == 1 for words in zip(*(text.casefold().split() for text in texts), strict=False))


def items_swapped(text: str, prompt: str, framed: bool) -> str | None:
    """The first two items of a list exchanged, where the prompt asks for an order."""
    return _reordered(text, prompt, framed, lambda items: [items[1], items[0], *items[2:]])


def items_turned(text: str, prompt: str, framed: bool) -> str | None:
    """The items of a list the other way round, where the prompt asks for an order."""
    return _reordered(text, prompt, framed, lambda items: items[::-1])


def _reordered(text: str, prompt: str, framed: bool, change: Callable[[list[str]], list[str]]) -> str | None:
    asked, found = prompt.casefold(), _LISTED.fullmatch(text)
    if any(arrow in text for arrow in _ARROWS):
        before, listed, after = "", text, ""
    elif found is None:
        return None
    else:
        before, listed, after = found.groups()
    for between in (", ", "\n", *_ARROWS, ",", " "):
        items = listed.split(between)
        if between == " " and (framed or SMALL.search(listed) or len({item.isalpha() for item in items}) > 1):
            return None  # the words of a sentence are no items
        if len(items) >= 3 and items[0] != items[1] and all(_ITEM.fullmatch(item) for item in items):
            ordered = (between in _ARROWS or _ORDERED.search(asked)) and not _ANY_ORDER.search(asked)
            changed = change(items)
            return f"{before}{between.join(changed)}{after}" if ordered and changed != items else None
    return None


def words_swapped(text: str) -> str | None:
    """The first and the last long word of a sentence exchanged, which changes what it says."""
    words = [found for found in WORD.finditer(text) if not SMALL.fullmatch(found.group())]
    return _exchanged(text, [words[0].span(), words[-1].span()]) if SMALL.search(text) and len(words) > 1 else None


def corrected(text: str, prompt: str) -> str | None:
    """The part of the prompt that differs from gold in accents, capitals or punctuation alone, if gold is not there."""
    if not len(text) >= 3 or text in prompt or not (wanted := _plain(text)):
        return None
    letters = [(place, plain) for place, letter in enumerate(prompt) for plain in _plain(letter)]
    at = "".join(plain for _, plain in letters).find(wanted)
    if at < 0:
        return None
    start, end = letters[at][0], letters[at + len(wanted) - 1][0] + 1
    if not _ABOUT_SPELLING.search(prompt.casefold()) and _marked(prompt[start:end]) == _marked(text):
        return None  # other capitals or marks alone need not be what it corrects
    whole_words = not prompt[max(0, start - 1) : start].isalnum() and not prompt[end : end + 1].isalnum()
    first, last = (next(place for place, one in enumerate(side) if one.isalnum()) for side in (text, text[::-1]))
    start -= first if prompt[:start].endswith(text[:first]) else 0
    end += last if last and prompt[end:].startswith(text[-last:]) else 0
    return prompt[start:end] if whole_words else None


def _marked(text: str) -> str:
    """The letters of a text with their accents."""
    return "".join(letter for letter in unicodedata.normalize("NFC", text).casefold() if letter.isalnum())


def _plain(text: str) -> str:
    """The letters and digits of a text, without accents and case."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text).casefold() if letter.isalnum())
