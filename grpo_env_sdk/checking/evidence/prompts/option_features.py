"""What may be read off the options of a prompt: their lengths, marks and words, and the order of their numbers."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.form_features import ABOUT_MARKS, Feature
from grpo_env_sdk.checking.evidence.prompts.ordered_values import KINDS, key_of, values_in
from grpo_env_sdk.late_patterns import regex

Options = list[tuple[str, str]]
"""The mark and the text of each option, in the order of the prompt."""
_WITH_LETTERS = regex(r"^\s*\(?([A-Ha-h])[).:]\s+(.+)$", re.MULTILINE)
_WITH_NUMBERS = regex(r"^\s*\(?([1-8])[).:]\s+(.+)$", re.MULTILINE)
_IN_A_LINE = regex(r"(?<![\w(])\(?([A-H])[).:]\s+(\S.*?)(?=[,;]?\s+\(?[A-H][).:]\s|$)", re.MULTILINE)
_WITH_BULLETS = regex(r"^\s*[-*•]\s+(.+)$", re.MULTILINE)
LISTED = regex(r"^[ \t]*(?:[\[(<]?#?([\w-]{1,12})[\])>.:]+|[-*•])[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
"""A line of a list, with its id and its text."""
_SENTENCE_END = regex(r"[.:;?!](?=\s|$)|\n")
_SENTENCES = regex(r"(?<=[.!?])\s+|\n")
_CLAUSE_END = regex(r"[,.:;?!)](?=\s|$)")
_NUMBER = r"[-\u2212]?[$€£]?\d[\d.,]*(?<![.,])%?"
_BETWEEN_NUMBERS = regex(r",? (?:or|and) |, | / | \| ")
_NUMBERS_IN_A_ROW = regex(rf"(?<![\w.,-]){_NUMBER}(?:(?:{_BETWEEN_NUMBERS.pattern}){_NUMBER}){{2,}}(?!\w)")
_ABOUT_FORM = regex(
    rf"{ABOUT_MARKS.pattern}|\b(?:capital|upper|lower|case|bracket|comma|digit|decimal|words?\b|letter|number)",
    re.IGNORECASE,
)
"""Words of a task that is about how its options are written."""
_ABOUT_MIDDLE = regex(
    r"\b(?:middle|median|medium|between|average|mean|typical|cent(?:er|re|ral)|pivot|\w+iles?|\d+(?:st|nd|rd|th)|"
    r"(?<!to the )(?:nearest|closest))\b",
    re.IGNORECASE,
)
_ABOUT_ORDER = regex(
    rf"{_ABOUT_MIDDLE.pattern}|\b(?:\w+[dghklmnptwy]i?est|least|most|best|worst|first|second|third|last|next|rank\w*|"
    r"sort\w*|in order|ascending|descending|auctions?|bids?|wins?|won|winners?|silver|medals?|runner|loses?|lost)\b",
    re.IGNORECASE,
)
"""Words of a task that may be about which of its options is in which place of their order."""
_ABOUT_LIMITS = regex(
    rf"{_ABOUT_ORDER.pattern}|\b(?:\w+er than|more|less|fewer|better|worse|above|over|under|below|beyond|exceed\w*|"
    r"within|limit\w*|enough|too|max\w*|min\w*|top|bottom|allow\w*|fits?|reach\w*|up to)\b",
    re.IGNORECASE,
)
"""Words of a task in which the largest or the smallest number may be the only one that fits."""
_PLACE_OF_AMOUNT = regex(
    r"\b(?:first|second|third|last|next|\d+(?:st|nd|rd|th)) "
    r"(?:\d+|(?:(?:one|two|three|four|five|six|ten|few|full|started) )?"
    r"(?:seconds?|minutes?|half.hours?|hours?|days?|nights?|weeks?|months?|years?|km|kilomet\w+|met\w+|miles?|kg|kilos?|"
    r"kilograms?|grams?|lit\w+|pages?|words?|pieces?|units?|kwh|euros?|dollars?|cents?|pounds?))\b",
    re.IGNORECASE,
)
"""Such as the first hour of a tariff, which is in no order with the options."""


@lru_cache(maxsize=2_048)
def options_of(prompt: str) -> Options:
    """The options of a prompt: its lines with letters or numbers, those with bullets, or what one line lists."""
    pattern = _listed_by(prompt)
    found = pattern.findall(prompt)
    if len(found) < 3:
        return [(f"option {place}", text) for place, text in enumerate(listed_in_a_sentence(prompt), 1)] or found
    return [(str(place), text) for place, text in enumerate(found, 1)] if pattern is _WITH_BULLETS else found


@lru_cache(maxsize=2_048)
def listed_in_a_sentence(prompt: str) -> list[str]:
    """The items of the last "a, b or c" in a prompt, or its last three or more numbers in a row."""
    for sentence in reversed(_SENTENCE_END.split(prompt)):
        before, _, after = sentence.rpartition(" or ")
        first, *others = before.removesuffix(",").split(", ")
        if others:
            words = max(len(item.split()) for item in others)
            return [" ".join(first.split()[-words:]), *others, " ".join(_CLAUSE_END.split(after)[0].split()[:words])]
    rows = [found.group() for found in _NUMBERS_IN_A_ROW.finditer(prompt)]
    return _BETWEEN_NUMBERS.split(rows[-1]) if rows else []


def question_of(prompt: str) -> str:
    """A prompt without its options."""
    if len((pattern := _listed_by(prompt)).findall(prompt)) > 2:
        return pattern.sub(" ", prompt)
    for _, text in options_of(prompt):
        prompt = " ".join(prompt.rsplit(text, 1))
    return prompt


def _listed_by(prompt: str) -> re.Pattern[str]:
    """The form in which a prompt lists its options."""
    return next(
        (form for form in (_WITH_LETTERS, _WITH_NUMBERS, _WITH_BULLETS) if len(form.findall(prompt)) > 2), _IN_A_LINE
    )


def mark_of(prompt: str, answer: str) -> str:
    """The mark of the one option that an answer is, by its mark, its text or both; empty where it is none."""
    options = [(mark.casefold(), bare(text)) for mark, text in options_of(prompt)]
    marks = [mark for mark, text in options if answer.strip("()[].:") == mark]
    marks = marks or [mark for mark, text in options if answer in (text, f"{mark}) {text}", f"{mark}. {text}")]
    return marks[0] if len(marks) == 1 else ""


def _option_of(choose: Callable[..., tuple[str, str]]) -> Feature:
    """The letter of the option that is the longest or shortest; empty where most options are single words."""

    def letter(prompt: str) -> str:
        options = options_of(prompt)
        about_length = re.search(r"\b(long|short)", prompt.partition(options[0][1])[0]) if options else None
        of_words = sum(len(text.split()) > 1 for _, text in options)
        if len(options) < 3 or about_length or 2 * of_words < len(options):
            return ""
        return choose(options, key=lambda option: len(option[1]))[0].casefold()

    return letter


def _odd_one_out(read: Callable[[str], bool]) -> Feature:
    """The letter of the one option that differs from all others in its form."""

    def letter(prompt: str) -> str:
        options = options_of(prompt)
        values = [read(text) for _, text in options]
        for value in (True, False):
            if len(options) > 2 and values.count(value) == 1 and not _ABOUT_FORM.search(prompt):
                return str(options[values.index(value)][0]).casefold()
        return ""

    return letter


def _agreeing(prompt: str) -> str:
    """The letter of the one option that has most words, or most of its values, in common with the others."""
    options = options_of(prompt)
    if len(options) < 3 or any(len(text.split()) < 2 for _, text in options):
        return ""
    parts = [set(re.split(r"\s*[/|;,]\s+", text.strip())) for _, text in options]
    if min(map(len, parts)) < 2:
        parts = [set(re.findall(r"\w+", text.casefold())) for _, text in options]
    return _most(options, [sum(len(one & other) for other in parts) - len(one) for one in parts])


def _in_the_middle(prompt: str) -> str:
    """The letter of the one option whose number is nearest to those of all others; empty where that is asked for."""
    options = options_of(prompt)
    values = _numbers(options)
    marked = options and not options[0][0].startswith("option ")
    if not values or (_ABOUT_MIDDLE if marked else _ABOUT_ORDER).search(_without_places_of_amounts(prompt)):
        return ""
    return _most(options, [-sum((one - other) ** 2 for other in values) for one in values])


def _without_places_of_amounts(prompt: str) -> str:
    """A prompt without "the first hour" and the like, where these are not in what it asks."""
    sentences = _SENTENCES.split(prompt)
    asks = ["?" in one for one in sentences]
    if not any(asks):
        return prompt
    return " ".join(
        one if asked else _PLACE_OF_AMOUNT.sub(" ", one) for one, asked in zip(sentences, asks, strict=True)
    )


def _numbers(options: Options) -> list[float]:
    """The number, time or date of each option; empty where some have none or several, or where two are equal."""
    for kind in KINDS if len(options) > 2 else ():
        held = [values_in(text, kind) for _, text in options]
        keys = [key for values in held if len(values) == 1 and (key := key_of(values[0], kind))]
        if len(set(keys)) == len(options):
            return [sum(part / 100**place for place, part in enumerate(key)) for key in keys]
    return []


def _of_rank(place: int, about: re.Pattern[str]) -> Feature:
    """The letter of the option whose number is in a place of their order; empty where that may be asked for."""

    def letter(prompt: str) -> str:
        options = options_of(prompt)
        values = _numbers(options)
        inside = place in (0, -1) or (0 < place % len(values) < len(values) - 1 if values else False)
        if not values or not inside or about.search(_without_places_of_amounts(question_of(prompt))):
            return ""
        return options[values.index(sorted(values)[place])][0].casefold()

    return letter


def _worked_out(feature: Feature) -> Feature:
    """A feature of prompts with several numbers beside their options, from which their answers may follow."""
    return lambda prompt: feature(prompt) if len(re.findall(r"\d+", question_of(prompt))) > 1 else ""


def _most(options: Options, counted: Sequence[float]) -> str:
    best = max(counted)
    return options[counted.index(best)][0].casefold() if counted.count(best) == 1 else ""


OF_OPTIONS: dict[str, Feature] = {
    "The longest option": _option_of(max),
    "The shortest option": _option_of(min),
    "The option that has most in common with the others": _agreeing,
    "The option in the middle of the others": _in_the_middle,
    "The one option with a full stop, or without one": _odd_one_out(lambda text: text.rstrip().endswith(".")),
    "The one option with a space behind it, or without one": _odd_one_out(lambda text: text != text.rstrip()),
    "The one option with a comma, or without one": _odd_one_out(lambda text: "," in text),
    "The one option with a capital, or without one": _odd_one_out(lambda text: text != text.lower()),
    "The one option that begins with a capital, or does not": _odd_one_out(lambda text: text[:1].isupper()),
    "The one option with a number, or without one": _odd_one_out(lambda text: bool(re.search(r"\d", text))),
    "The one option with a decimal, or without one": _odd_one_out(lambda text: bool(re.search(r"\d\.\d", text))),
    "The one option in brackets, or without them": _odd_one_out(lambda text: "(" in text),
    "The one option of one word, or of several": _odd_one_out(lambda text: len(text.split()) == 1),
}
OF_RANKS: dict[str, Feature] = {
    f"The option with the {name} number": _of_rank(place, _ABOUT_ORDER)
    for name, place in (("second smallest", 1), ("third smallest", 2), ("second largest", -2), ("third largest", -3))
}
OF_ENDS: dict[str, Feature] = {
    f"The option with the {name} number": _worked_out(_of_rank(place, _ABOUT_LIMITS))
    for name, place in (("smallest", 0), ("largest", -1))
}
"""What a task that compares its options may ask for in words that nobody foresees."""
