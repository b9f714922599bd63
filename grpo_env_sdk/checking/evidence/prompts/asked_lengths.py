"""A gold answer that is longer than its prompt allows, or in another language than it asks for."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, BrokenForm, count_of, sentences_of
from grpo_env_sdk.late_patterns import regex

_ACT = regex(
    r"\b(?:answer|reply|respond|write|summari[sz]e|describe|explain|give|name|state|translate|say|use|keep|limit|put|list|"
    r"complete|caption|title|rewrite|shorten|paraphrase|output|return|produce|generate|headline|define)\b",
    re.IGNORECASE,
)
_OF_INPUT = regex(
    r"\b(?:the (?:text|report|article|letter|story|input|passage) (?:is|has|contains)|given)\b", re.IGNORECASE
)
_NUMBER = rf"\d+|{COUNT_WORDS}"
_MOST = (
    r"at most|no more than|not more than|up to|(?:a )?maximum of|max\.?|no longer than|within|exactly"
    rf"|fewer than|less than|under|below|(?:{_NUMBER}) (?:to|or)|between (?:{_NUMBER}) and"
)
_STATED = (
    rf"\b(?:(?:(?:{_MOST}) |\d+ ?[-\u2013] ?(?=\d+ \w+s\b))"
    rf"({_NUMBER}) (word|sentence|character|line|letter|paragraph)s?"
    rf"|(?:in|with) ({_NUMBER})(?: (?:short|full|complete|simple|single))? (word|sentence|line|paragraph)s?)\b"
)
_LIMIT = regex(
    rf"{_STATED}"
    r"(?! (?:or (?:more|two)|of|each|per|for|from|about|and|then|that|which|at (?:least|a time|the)|on|in each))",
    re.IGNORECASE,
)
_MAYBE = regex(_STATED, re.IGNORECASE)
"""A limit that may also be one of a part."""
_OF_EACH = regex(r"\b(?:each|every|per|apiece|je|pro|chaque|cada|ogni)\b", re.IGNORECASE)
_OF_A_PART = regex(
    r"\b(?:among (?:them|which)|including|one of (?:them|which))\b[^;:]*$|"
    r"\b(?:differ\w*|chang\w*|replac\w*|exchang\w*|swap\w*|insert\w*|remov\w*|delet\w*|add\w*|mov\w*)\b[^.;:,]{0,40}$",
    re.IGNORECASE,
)
"""What stands before a number that is of a part of a text, or of the change from another one."""
_THINKS = regex(r"\b(?:step[- ]by[- ]step|reason|think|show (?:your|the) work|explain (?:your|how|why))", re.IGNORECASE)
_SENTENCE_END = regex(r"[.!?\u061f](?=\s+[^\W\d_a-z]|\s*$)|[\u3002\uff01\uff1f]")
_LENGTHS: dict[str, Callable[[str], int]] = {
    "word": lambda text: len(text.split()),
    "sentence": lambda text: len(_SENTENCE_END.findall(text.strip())) or 1,
    "character": len,
    "letter": lambda text: sum(char.isalpha() for char in text),
    "line": lambda text: len([line for line in text.splitlines() if line.strip()]),
    "paragraph": lambda text: len([part for part in re.split(r"\n\s*\n", text) if part.strip()]),
}
"""How a text is measured."""
_SCRIPTS = {
    "LATIN": r"[A-Za-zÀ-ɏ]", "CYRILLIC": r"[Ѐ-ӿ]", "GREEK": r"[Ͱ-Ͽ]", "ARABIC": r"[؀-ۿ]", "HEBREW": r"[֐-׿]",
    "DEVANAGARI": r"[ऀ-ॿ]", "THAI": r"[฀-๿]", "HANGUL": r"[가-힯]", "KANA": r"[぀-ヿ一-鿿]", "HAN": r"[一-鿿]",
}  # fmt: skip
_LANGUAGES = {
    "english|englisch|anglais|inglés|inglese|german|deutsch|french|französisch|français|spanish|spanisch|español|italian|italiano"
    "|portuguese|português|dutch|polish|swedish|turkish|vietnamese|indonesian": "LATIN",
    "russian|ukrainian|bulgarian|serbian cyrillic|русском|украинском": "CYRILLIC", "greek|ελληνικά": "GREEK",
    "arabic|persian|farsi|urdu|بالعربية": "ARABIC", "hebrew|בעברית": "HEBREW",
    "hindi|marathi|nepali|हिंदी में": "DEVANAGARI",
    "thai": "THAI", "korean|한국어로": "HANGUL", "japanese|日本語で": "KANA", "chinese|mandarin|用中文": "HAN",
}  # fmt: skip
_IN = r"(?:\b(?:in|into|to|auf|en|in|на) (?:plain |simple |good )?)"
_LATINISED = regex(r"\b(?:romaji|rōmaji|pinyin|translit\w*|romani[sz]\w*|latin|alphabet)\b", re.IGNORECASE)
FEWEST_LETTERS = 3


def broken_length(prompt: str, text: str, stated: re.Pattern[str] = _LIMIT) -> BrokenForm | None:
    """A text that is longer than all limits of its kind that a prompt sets."""
    limits: dict[str, tuple[int, str]] = {}
    if text.startswith(("{", "[", "`", "<")):
        return None
    for words, count, unit in _limits(prompt, stated):
        limits[unit] = max(limits.get(unit, (0, "")), (count, words))
    for unit, (most, words) in limits.items():
        if _LENGTHS[unit](text) > most:
            return BrokenForm(words)
    return None


def most_words(prompt: str) -> int:
    """The most words that a prompt allows; 0 where it sets no limit."""
    return max((count for _, count, unit in _limits(prompt, _LIMIT) if unit == "word"), default=0)


def grows_too_long(prompt: str, text: str, gold: str) -> bool:
    """Whether a text breaks a length that a prompt states, and gold keeps it."""
    return broken_length(prompt, text, _MAYBE) is not None and broken_length(prompt, gold, _MAYBE) is None


def broken_language(prompt: str, text: str) -> BrokenForm | None:
    """A text in the letters of other languages than those that a prompt asks for."""
    asked = [] if _LATINISED.search(prompt) else list(_asked_scripts(prompt))
    letters = [char for char in text if char.isalpha()]
    if not asked or len(letters) < FEWEST_LETTERS:
        return None
    for script, _ in asked:
        if 2 * len(re.findall(_SCRIPTS[script], text)) >= len(letters):
            return None
    return BrokenForm(asked[-1][1])


def _limits(prompt: str, stated: re.Pattern[str]) -> Iterator[tuple[str, int, str]]:
    for sentence in sentences_of(prompt) if not _THINKS.search(prompt) else ():
        if _ACT.search(sentence) and not _OF_INPUT.search(sentence):
            for found in stated.finditer(sentence):
                count, unit = (found[1], found[2]) if found[1] else (found[3], found[4])
                of_one = _OF_A_PART.search(sentence[: found.start()]) or _OF_EACH.search(sentence[found.end() :])
                if count_of(count) and not of_one:
                    yield found.group(), count_of(count), unit.casefold()


def _asked_scripts(prompt: str) -> Iterator[tuple[str, str]]:
    for sentence in sentences_of(prompt):
        yield from _scripts_in(sentence)


@lru_cache(maxsize=4096)
def _scripts_in(sentence: str) -> list[tuple[str, str]]:
    """The scripts that a sentence asks for, each with the words that do; prompts share most of their sentences."""
    asked = []
    for names, script in _LANGUAGES.items():
        found = re.search(rf"(?:{_IN}|(?<!\w)(?=[^\x00-\x7f]))(?:{names})(?![a-z])", sentence, re.IGNORECASE)
        if found and (_ACT.search(sentence) or not found.group().isascii()):
            asked.append((script, found.group()))
    return asked
