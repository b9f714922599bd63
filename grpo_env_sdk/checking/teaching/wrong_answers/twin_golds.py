"""Gold of other rows that differs only in what a scorer may fold: capitals, accents, or signs at its end."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.secret_words import has_word
from grpo_env_sdk.checking.evidence.variants import Variant
from grpo_env_sdk.late_patterns import regex

_NAME = "of another row, which differs in its {} alone,"
TOLD_APART = "of another row, which differs in what the prompt tells apart,"
CAPITALS, ACCENTS, SIGNS = map(_NAME.format, ("capitals", "accents", "signs"))
FEWEST_PAIRS, SOME = 3, 0.2
"""How many pairs of golds have to differ in this alone, and the share of all golds in such pairs: data that writes one
answer in two ways has fewer."""
_FREE = regex(
    r"(?:\b(?:case|capital\w*|accent\w*|diacritic\w*|umlaut\w*|upper|lower)\b[^.!?\n]{0,40}(?:ignor|insensitiv|matter|"
    r"optional|either|left out|not needed|accepted)|\b(?:ignor\w+|without|regardless|whatever|any|either|no|not)\b"
    r"[^.!?\n]{0,30}\b(?:case|capital\w*|accent\w*|diacritic\w*|umlaut\w*))",
    re.IGNORECASE,
)
"""What a prompt says where capitals or accents make no difference."""
_END_SIGNS = regex(r"(?<=[A-Za-z0-9)])(?:[-+#\u2212\u266f\u266d]{1,2}|['\u2032])$")


def twins(known: Mapping[int, Gold], prompts: Mapping[int, str], most: int) -> Iterator[Variant]:
    """Golds of other rows as answers to rows whose own gold differs from them in one such thing alone."""
    texts = list(dict.fromkeys(gold.text for gold in known.values()))
    for name, fold in _FOLDS.items():
        alike: dict[str, list[str]] = defaultdict(list)
        for text in texts:
            alike[fold(text)].append(text)
        groups = [group for group in alike.values() if len(group) > 1 and not _is_one_word(group)]
        pair = {text: group[place - 1] for group in groups for place, text in enumerate(group)}
        rows = [row for row, gold in known.items() if gold.text in pair and not _FREE.search(prompts[row])]
        letters = all(len(text) == 1 for text in pair)
        told = all(_tells_apart(prompts[row], known[row].text, pair[known[row].text]) for row in rows)
        if told and len(groups) > letters:  # one letter in both cases may be an article
            name = TOLD_APART
        elif letters or len(groups) < FEWEST_PAIRS or len(pair) < SOME * len(texts):
            continue
        for row in islice(rows, most):
            yield Variant(name, known[row], pair[known[row].text])


def _unaccented(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))


_FOLDS: dict[str, Callable[[str], str]] = {
    CAPITALS: str.casefold,
    ACCENTS: _unaccented,
    SIGNS: lambda text: _END_SIGNS.sub("", text),
}


def _is_one_word(group: Sequence[str]) -> bool:
    """Whether texts are one word with and without capitals, as Yes and YES, or the letter of one option."""
    words = [re.findall(r"[^\W_]+", text) for text in group]
    usual = all(word in (word.lower(), word.upper(), word.title()) for said in words for word in said)
    return len({text.casefold() for text in group}) == 1 and usual and all(map(_is_plain, group))


def _is_plain(text: str) -> bool:
    return bool(re.fullmatch(r"[^\W\d_]{2,}(?:\W+[^\W\d_]+)*\W*", text))


def _tells_apart(prompt: str, one: str, other: str) -> bool:
    """Whether a prompt names both of two texts, or the letters in which they differ, as things of their own."""
    first, second = (re.findall(r"[^\W\d_]+", text) for text in (one, other))
    differ = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    named = [all(has_word(prompt, word) for word in pair) for pair in differ]
    return bool(named) and all(named) and len(first) == len(second)
