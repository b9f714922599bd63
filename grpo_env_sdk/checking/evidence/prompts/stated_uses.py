"""How often something may be used, as a prompt says it in words for the thing itself: two weighings, three times."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, count_of
from grpo_env_sdk.late_patterns import regex

FEWEST_LETTERS, LONG = 4, 5
"""How many letters of a tool's name, and of a word of its description, have to be in a sentence that speaks of it."""
_N = rf"\d{{1,2}}|{COUNT_WORDS}"
_ALLOWED = regex(
    r"\b(?:may|can|must|have|get|allow\w*|at most|only|just|no more than|up to|with|within|in|using|budget|limit\w*|"
    r"enough for|exactly)\b",
    re.IGNORECASE,
)
_TIMES = regex(rf"\b(?:(once|twice|thrice)|({_N}) times)\b(?! (?:as|a|an|per|each|every|in a row)\b)", re.IGNORECASE)
_EACH = regex(r"\b(?:each|every|per|at least|for one|any number|as often as|at once)\b", re.IGNORECASE)
_BY_MESSAGE = regex(r"\b(?:turns?|messages?|rounds?|repl(?:y|ies)|minutes?|seconds?)\b", re.IGNORECASE)
_IN_WORDS = {"once": 1, "twice": 2, "thrice": 3}
_WORD = regex(r"[a-z]+", re.IGNORECASE)
_OF_ALL = {"which", "their", "there", "these", "those", "other", "where", "given", "answer", "number", "about", "every"}
"""Words of descriptions that say nothing of what a tool is about."""


def stated_uses(sentences: Sequence[str], tool: str, description: str) -> set[int]:
    """The numbers of uses that sentences about a tool allow."""
    return {count for one in sentences for count in _counts(one, tool, description) if count > 0}


def _counts(sentence: str, tool: str, description: str) -> Iterator[int]:
    if not _ALLOWED.search(sentence) or _EACH.search(sentence) or _BY_MESSAGE.search(sentence):
        return
    stems = [re.escape(word[:5]) for word in tool.lower().split("_") if len(word) >= FEWEST_LETTERS]
    for stem in stems:
        yield from map(count_of, re.findall(rf"\b({_N}) (?:\w+ )?{stem}\w*", sentence, re.IGNORECASE))
    named = {word for word in _WORD.findall(description.lower()) if len(word) >= LONG} - _OF_ALL
    said = set(_WORD.findall(sentence.lower()))
    if any(re.search(rf"\b{stem}", sentence, re.IGNORECASE) for stem in stems) or named & said:
        yield from (_IN_WORDS.get(word.lower()) or count_of(count) for word, count in _TIMES.findall(sentence))
