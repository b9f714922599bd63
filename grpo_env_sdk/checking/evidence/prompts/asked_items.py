"""How many different items a prompt wants, what is between them, and which items it offers."""

import json
import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, count_of, sentences_of
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.prompts.option_features import options_of
from grpo_env_sdk.late_patterns import regex

MOST_ITEMS, MOST_OFFERED, MOST_CHARS = 12, 12, 40
_ACT = (
    r"\b(?:name|give|list|write|suggest|answer|reply|respond|choose|pick|find|propose|state|mention|return|select|output|"
    r"provide|invent|enter|submit|think of|come up with)\b"
)
_N = rf"\b(?P<count>\d{{1,2}}|{COUNT_WORDS})\b"
_DIFFERENT = regex(
    rf"{_ACT}[^.;?!\n]{{0,40}}?{_N} (?:[\w-]+ ){{0,2}}?(?:(?:all|pairwise|mutually) )?(?:different|distinct|unique)\b",
    re.IGNORECASE,
)
_ANY_ITEMS = regex(rf"{_ACT}[^.;?!\n]{{0,40}}?{_N} (?:[\w-]+ ){{0,2}}?\w+s\b", re.IGNORECASE)
_NO_REPEATS = regex(
    r"\b(?:no|without|avoid|never) (?:any )?(?:repeats|repetitions?|repeating|duplicates?|doubles)\b|\ball different\b|"
    r"\b(?:do not|don't|never|must not|may not|cannot) (?:repeat|(?:use|name|list|choose|pick) the same)\b|"
    r"\bno (?:\w+ )?\w+ (?:may |must |can |is |be )*(?:\w+ )?twice\b|\b(?:each|every) (?:\w+ )?(?:only|at most) once\b",
    re.IGNORECASE,
)
_EACH_ONCE = regex(
    r"\b(?:each|every|all)\b(?:(?!\b(?:count|scor|cost|pa(?:ys?|id)|earn))[^.;:?!\n]){0,40}?(?<!\bat )\bonce\b"
    r"(?! (?:an?|per|the|it|you|they|every|each|all|in)\b)|"
    r"\bjede[rs]?\b[^.;:?!\n]{0,40}\beinmal\b|\bune seule fois\b|\buna sola v(?:ez|olta)\b",
    re.IGNORECASE,
)
_MAY_BE_EQUAL = regex(r"\bnecessarily\b|\bneed not\b|\bor (?:the same|equal)\b|\bif (?:\w+ )+equal\b", re.IGNORECASE)
_BETWEEN = (
    ("\n", regex(r"\b(?:on|in|per) (?:a |an |its |their )?(?:own |separate |new )?lines?\b", re.IGNORECASE)),
    ("; ", regex(r"\bsemicolons?\b", re.IGNORECASE)),
    (", ", regex(r"\bcommas?\b", re.IGNORECASE)),
    (" ", regex(r"\bspaces?\b", re.IGNORECASE)),
)
_IN_JSON = regex(r"\bJSON (?:list|array)\b|\b(?:list|array) (?:in|as) JSON\b", re.IGNORECASE)


def different_items(prompt: str) -> int:
    """How many items a prompt wants that have to be different; 0 where it does not say so."""
    no_repeats = _NO_REPEATS.search(prompt)
    for sentence in () if _MAY_BE_EQUAL.search(prompt) else sentences_of(prompt):
        if found := _DIFFERENT.search(sentence) or (_ANY_ITEMS.search(sentence) if no_repeats else None):
            count = count_of(found["count"])
            return count if 2 <= count <= MOST_ITEMS else 0
    return 0


def wants_each_once(prompt: str) -> bool:
    """Whether a prompt says of the items of an answer that each of them is in it once."""
    return bool(_EACH_ONCE.search(prompt)) and not _MAY_BE_EQUAL.search(prompt)


def written(items: Sequence[str], prompt: str) -> str:
    """Items in one answer, with what the prompt wants between them."""
    if _IN_JSON.search(prompt):
        return json.dumps(items, ensure_ascii=False)
    return next((between for between, named in _BETWEEN if named.search(prompt)), ", ").join(items)


def items_of_answer(answer: str) -> list[str]:
    """The items of an answer: of its list in JSON, its lines, or what is between commas or semicolons."""
    if isinstance(data := read_json(answer), list):
        return [str(one) for one in data]
    between = next((one for one in ("\n", "; ", ";", ", ", ",") if one in answer.strip()), " ")
    return [one.strip() for one in answer.strip().split(between)]


def offered_items(prompt: str) -> list[str]:
    """The marks and the short texts of what a prompt lists."""
    return list(dict.fromkeys(_offered(prompt)))[:MOST_OFFERED]


def _offered(prompt: str) -> Iterator[str]:
    listed = options_of(prompt)
    yield from (mark for mark, _ in listed if len(mark) == 1)
    yield from (text for _, text in listed if len(text) <= MOST_CHARS)
