"""Whether every part of a composite gold answer counts: each number, its decimals, and the order of the parts."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.read_columns import is_compared_with
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import (
    Outcome,
    Variant,
    golds_with_text,
    played,
    prompt_text,
    still_earns,
)
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.checking.teaching.idling import MOSTLY, OFTEN

MOST_ROWS = {"quick": 10, "default": 24, "thorough": 100}
MOST_CHARS, FEWEST_UNCOMPARED, MOST_UNITS = 200, 8, 2
"""Longer answers are explanations, of which only a part is the answer."""
_NUMBER = re.compile(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?![\d])|(?<![^\W_])(?<!\d\.)\d+(?:\.\d+)?(?!\d)")
_SHOWS_WORK = re.compile(r"\d\s*[-+*/^]\s*\d[^/]*=|=[^,;]*=|\d\s*=|\n\s*\n|<think|because|therefore", re.IGNORECASE)
_WORD = re.compile(r"(?<!\\)\b[^\W\d_]{3,}")
_ORDERED = re.compile(
    r"\bsort|\border(?!s\b)|alphabet|\brank|sequence|ascend|descend|revers|chronolog|smallest|largest|first to last|"
    r"\bfrom (?:the )?(?:most|least|\w+est)\b|\b(?:\w+est|most \w+|least \w+)\b[^.?!\n]{0,20} (?:first|last)\b|"
    r"\b(?:start|begin)\w* (?:with|from|at) (?:the )?(?:most|least|first|\w+est)\b|"
    r"reihenfolge|sortier|aufsteigend|absteigend|beginne\w* mit|zuerst|\bl'ordre\b|croissant|commen[cç]\w+ par|"
    r"\borden\b|ordena|empez\w+ por|de mayor|de menor|\bordem\b|\bordine\b|crescente|volgorde|oplopend|kolejno|"
    r"порядк|начиная|順に|順番|顺序"
)
_ANY_ORDER = re.compile(
    r"any order|order (?:does not|doesn't|is not|isn't|is irrelevant)|any sequence|beliebig\w* reihenfolge|"
    r"reihenfolge (?:ist )?(?:egal|beliebig|spielt)|n'importe quel ordre|cualquier orden|"
    r"qualquer ordem|qualsiasi ordine"
)
_LISTED = re.compile(r"(?s)(|.*?[:>{\[(]\s*)([^:<>{}\[\]()]+?)(|\s*[.<}\])].*)")
"""A list in the form of an answer: what is before it, its items, and what is behind them."""
_ITEM = re.compile(r"\"?-?\w[\w.'#♯♭-]*(?: [\w.'-]+){0,2}\"?")
_ARROWS = (" > ", " -> ", " < ", " → ")
"""What stands between the items of an order."""
_PAIR = re.compile(r"\\d?frac\{(\d+)\}\{(\d+)\}|\((-?\d+), ?(-?\d+)\)|\b(\d+) ?[/:] ?(\d+)\b")
_LABELLED = re.compile(r"([^\W\d_]\w*)\s*[=:]\s*(-?\d+(?:\.\d+)?)")
_SMALL = re.compile(r"\b(?:the|an?|is|are|was|of|to|in|at|on|by|for|from|with|than|does|le|der|die|das|el)\b", re.I)
_ABOUT_SPELLING = re.compile(r"accent|diacrit|capital|upper|lower ?case|punctuat|spell|restore|apostroph|typo")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d\d)(?::(\d\d))?(?!\d)")
_DATE = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_ROOM = re.compile(r"\b(?:about|around|approx\w*|roughly|nearest|within|toleran\w*|estimat\w*)\b|[±≈]", re.IGNORECASE)
"""What a prompt says that leaves room for another time or day."""
_IN_TIME = ((_CLOCK, ((12, 24, 0), (30, 60, 0), (30, 60, 0))), (_DATE, ((3, 10_000, 0), (5, 12, 1), (11, 28, 1))))
"""The parts of times and dates: how much is added to another one, of how many there are, and the first of them."""
_HINT = "Compare every part of the answer with the right one, in its place, and not just one of them."
_EXACT = re.compile(r"decimal|cents?\b|exact|precis|nearest|\d\.\d\d")


@check("G515", needs=("gold",), severity="warning", share=2)
def every_part_of_gold_counts(subject: Subject) -> Iterator[Finding]:
    """Another number in a composite answer, other decimals, swapped parts, or what gold corrects, score less."""
    known = golds_with_text(subject, MOST_ROWS[subject.effort])
    short = [gold for gold in known if len(gold.text) <= MOST_CHARS and not _SHOWS_WORK.search(gold.text)]
    framed = _is_framed([gold.text for gold in short])
    variants = [variant for gold in short for variant in _variants(subject, gold, framed)]
    outcomes = played(subject, variants)
    yield from _numbers(subject, outcomes, short)
    yield from _decimals(subject, outcomes, short)
    compared = is_compared_with(subject, {gold.row: gold.text for gold in known})
    for name in (SWAPPED, SWAPPED_PLACES, SWAPPED_ITEMS, SWAPPED_WORDS, UNCHANGED, USED_AGAIN, DIGIT_MOVED):
        meant = name not in (SWAPPED_PLACES, SWAPPED_WORDS) and (name != SWAPPED or len(known) >= FEWEST_UNCOMPARED)
        if name in outcomes and outcomes[name].proven(OFTEN) and (compared or meant):
            yield _finding(subject, outcomes[name], name, "error" if outcomes[name].proven(MOSTLY) else "warning")


SWAPPED, SWAPPED_ITEMS = "with two of its numbers swapped", "with two of its items swapped"
SWAPPED_PLACES, SWAPPED_WORDS = "with two of its numbers in each other's place", "with two of its words swapped"
"""These are reported only where the scorer has the one right answer to compare with."""
UNCHANGED = "replaced by the text of the prompt that it corrects"
DIGIT_MOVED = "with a digit moved from one of its numbers to the next"
USED_AGAIN = "with one of its numbers added and taken away again"
_ONCE = re.compile(
    r"\b(?:once|one time|exactly (?:the|these)|no number twice|not reuse|without reus\w+)\b", re.IGNORECASE
)
_EXPRESSION = re.compile(r"(?=.*\d *[-+*/])[\d\s()+*/.-]+")
"""What a prompt says where a number may not be used again, and the answers for which that means something."""
_LOST = {
    "which are cut off before comparing,": ("with other decimals", "with decimals just beyond the next whole number"),
    "which are rounded before comparing,": ("with other cents", "with decimals just beyond the next half"),
}
"""How decimals may be lost: the name of a change that is lost with them, and of a smaller one that is not."""


def _variants(subject: Subject, gold: Gold, framed: bool) -> Iterator[Variant]:
    """What may be changed in one gold answer; whether all of them have a word in the same place."""
    prompt, text = prompt_text(subject, gold.row), gold.text
    places = list(_NUMBER.finditer(text))
    given = {found.group() for found in _NUMBER.finditer(prompt)}
    for number, found in enumerate(places, 1):
        if len(places) > 1 and (found.group() not in given or not _WORD.search(text)):
            in_time = _other_in_time(text, found)
            if in_time and _ROOM.search(prompt):
                continue
            other = in_time or _other(found.group())
            yield Variant(_place_name(number, len(places)), gold, _replaced(text, found, other))
    for name, change in (_decimal_changes(places[-1].group()) if len(places) == 1 else {}).items():
        yield Variant(name, gold, _replaced(text, places[-1], change))
    for name, changed in (
        (SWAPPED, _swapped(text)),
        (SWAPPED_PLACES, _places_swapped(text)),
        (SWAPPED_ITEMS, _items_swapped(text, prompt, framed)),
        (SWAPPED_WORDS, _words_swapped(text)),
        (DIGIT_MOVED, _digit_moved(places, text)),
    ):
        if changed is not None:
            yield Variant(name, gold, changed)
    if _ONCE.search(prompt) and _EXPRESSION.fullmatch(text) and len(places) > 1:
        yield Variant(USED_AGAIN, gold, f"{text}+{places[0].group()}-{places[0].group()}")
    if (span := _corrected(text, prompt)) is not None:
        yield Variant(UNCHANGED, gold, span)


def _place_name(number: int, of: int) -> str:
    return f"with another number {number} of {of}"


def _other(number: str) -> str:
    """A number that no tolerance relative to its size accepts, with as many decimals."""
    whole, point, decimals = number.replace(",", "").partition(".")
    other = str(int(whole) + max(3, int(whole) * 3 // 5))
    return f"{other.zfill(len(whole))}{point}{decimals}"


def _other_in_time(text: str, found: re.Match[str]) -> str | None:
    """Another number that can stand there, where it is a part of a time or a date; None elsewhere."""
    number, width = int(found.group().replace(",", "").partition(".")[0]), len(found.group())
    for pattern, others in _IN_TIME:
        for whole in pattern.finditer(text):
            places = [whole.span(place) for place in (1, 2, 3)]
            if found.span() in places:
                more, of, first = others[places.index(found.span())]
                return str((number - first + more) % of + first).zfill(width)
    return None


def _decimal_changes(number: str) -> dict[str, str]:
    """Decimals changed, and a smaller change that cutting off or rounding shows: a tolerance accepts both or none."""
    whole, _, decimals = number.partition(".")
    if not decimals or len(decimals) > 6 or "," in whole or int(whole) < 1:
        return {}
    part = float(f"0.{decimals}")
    cut, rounded = _LOST.values()
    found: dict[str, float] = {}
    if 0.01 <= part <= 0.38 or 0.62 <= part <= 0.98:
        found |= zip(cut, (part + 0.4, -0.01) if part < 0.5 else (part - 0.4, 1.01), strict=True)
    if 0.28 <= part <= 0.72 and part != 0.5:
        found |= zip(rounded, (0.02, 0.52) if part < 0.5 else (0.98, 0.48), strict=True)
    digits = max(2, len(decimals))
    return {name: f"{int(whole) + value:.{digits}f}" for name, value in found.items()}


def _replaced(text: str, found: re.Match[str], other: str) -> str:
    return text[: found.start()] + other + text[found.end() :]


def _swapped(text: str) -> str | None:
    """Two numbers exchanged whose order means something: of a fraction, a pair, or behind two labels."""
    if found := _PAIR.search(text) or _DATE.search(text):
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


def _digit_moved(places: Sequence[re.Match[str]], text: str) -> str | None:
    """The last digit of one whole number put in front of the next one: 12/5 as 1/25, whose digits are the same."""
    for one, other in pairwise(places):
        number, next_ = one.group(), other.group()
        if number.isdecimal() and next_.isdecimal() and len(number) > 1 and number[-1] != "0":
            between = text[one.end() : other.start()]
            return f"{text[: one.start()]}{number[:-1]}{between}{number[-1]}{next_}{text[other.end() :]}"
    return None


def _places_swapped(text: str) -> str | None:
    """Two numbers exchanged that are behind and before different words, so that their places mean something."""
    found = list(_NUMBER.finditer(text))
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


def _is_framed(texts: Sequence[str]) -> bool:
    """Whether these texts have a word in the same place, as sentences of one form have, and orders have not."""
    return any(len(set(words)) == 1 for words in zip(*(text.casefold().split() for text in texts), strict=False))


def _items_swapped(text: str, prompt: str, framed: bool) -> str | None:
    """The first two items of a list exchanged, where the prompt asks for an order."""
    asked, found = prompt.casefold(), _LISTED.fullmatch(text)
    if any(arrow in text for arrow in _ARROWS):
        before, listed, after = "", text, ""
    elif found is None:
        return None
    else:
        before, listed, after = found.groups()
    for between in (", ", "\n", *_ARROWS, ",", " "):
        items = listed.split(between)
        if between == " " and (framed or _SMALL.search(listed) or len({item.isalpha() for item in items}) > 1):
            return None  # the words of a sentence are no items
        if len(items) >= 3 and items[0] != items[1] and all(_ITEM.fullmatch(item) for item in items):
            ordered = (between in _ARROWS or _ORDERED.search(asked)) and not _ANY_ORDER.search(asked)
            return f"{before}{between.join([items[1], items[0], *items[2:]])}{after}" if ordered else None
    return None


def _words_swapped(text: str) -> str | None:
    """The first and the last long word of a sentence exchanged, which changes what it says."""
    words = [found for found in _WORD.finditer(text) if not _SMALL.fullmatch(found.group())]
    return _exchanged(text, [words[0].span(), words[-1].span()]) if _SMALL.search(text) and len(words) > 1 else None


def _corrected(text: str, prompt: str) -> str | None:
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


def _numbers(subject: Subject, outcomes: dict[str, Outcome], known: Sequence[Gold]) -> Iterator[Finding]:
    """Numbers of gold that may be any other number; all of them only where the scorer has gold to compare with."""
    of_places = [outcome for name, outcome in outcomes.items() if name.startswith("with another number")]
    ignored = [outcome for outcome in of_places if outcome.proven(OFTEN)]
    if not ignored or (
        len(ignored) == len(of_places) > 1 and not is_compared_with(subject, {gold.row: gold.text for gold in known})
    ):
        return
    words = len(_WORD.findall(known[0].text))
    sentence = words > MOST_UNITS or _SMALL.search(known[0].text)  # it may say more than was asked for
    sure = subject.traits.kind == "single-turn" and not words
    yield _finding(subject, ignored[0], ignored[0].name, "info" if sentence else "error" if sure else "warning")


def _decimals(subject: Subject, outcomes: dict[str, Outcome], known: Sequence[Gold]) -> Iterator[Finding]:
    asked = all(_EXACT.search(prompt_text(subject, gold.row).casefold()) for gold in known[:3])
    for how, (within, beyond) in _LOST.items():
        lost, kept = outcomes.get(within), outcomes.get(beyond)
        if lost and kept and lost.proven(OFTEN) and not kept.won:
            yield _finding(subject, lost, f"with other decimals, {how}", "error" if asked else "warning")
            return


def _finding(subject: Subject, outcome: Outcome, name: str, severity: Severity) -> Finding:
    return still_earns(subject, outcome, name, _HINT, severity)
