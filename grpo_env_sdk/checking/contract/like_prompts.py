"""Whether prompts that ask the same in other case, spaces, punctuation or small words have the same gold."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import pairs_of
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

FEWEST, SHARE, MOST_PAIRS = 2, 0.02, 12
"""From so many pairs, and from this share of the rows, it is an error."""
_ABOUT_FORM = regex(
    r"\b(?:case|capitals|capital letters?|capitali[sz]\w*|upper\w*|lower\w*|spaces?|blanks?|whitespace|punctuat\w*|"
    r"marks?|letters?|characters?|tokens?|brackets?|commas?|spell\w*|typos?|grammar\w*|articles?|symbols?|length|"
    r"strings?|code|regex|polite\w*|tone|words)\b",
    re.IGNORECASE,
)
"""What a prompt says where its letters and marks are what it is about."""
_WORD = regex(r"\w+")
_MARK = regex(r"[.,;:!?'\"()]")
_SENTENCE_MARK = regex(r"[.,;:?\"()]|(?<![\d)])!|(?<!(?<!['\w])[^\W\d_])'|'(?=\w)")
_IN_BRACKETS = regex(r"\(((?:[^()\w]|\d|\b(?:[a-z]|and|or|not|true|false)\b)*)\)")
_OPERATOR = regex(r"[-+*/^\u00d7\u00f7\u00b7&|]|\b(?:and|or|not)\b")
"""The marks of sentences, without those of 4! and f'(x), and the brackets of formulas, which change what is asked."""
MOST_OF_SYMBOL = 3
"""How many letters symbols such as mW and MW, or Co and CO, have."""
MOST_MARKS, MOST_DRAWN = 0.1, 0.2
"""With a larger share of such marks, or of any but letters and digits, they are what a prompt shows, as in drawings."""
_SMALL = regex(
    r"\b(?:please|the|an?|kindly|tell me|say|can you|could you|would you|do you know|hello|hi|hey|thanks|thank you|"
    r"just|now|so|then|question|q)\b"
)
_SHORT = ((regex(r"\b(what|who|where|when|how|that|it|there)'s\b"), r"\1 is"), (regex(r"n't\b"), " not"))


@check("C140", needs=("gold",), kinds=("single-turn",), severity="warning")
def like_prompts_have_one_gold(subject: Subject) -> Iterator[Finding]:
    """What is gold on one row is gold on another one whose prompt differs in nothing that matters."""
    for how, same in (("in case, spaces and punctuation", _letters), ("in small words", _plain)):
        pairs = _contradicting(subject, same)
        proven = [pair for pair in pairs if _refused(subject, *pair)]
        if proven:
            row, twin = proven[0]
            known = golds(subject)
            many = len(proven) >= max(FEWEST, SHARE * len(known))
            yield Finding(
                f"{len(proven)} pairs of rows have prompts that differ only {how}, and what is gold on one is wrong on "
                f"the other: {quoted(known[row].text)} in row {row}, {quoted(known[twin].text)} in row {twin}.",
                "Correct the gold of one of them, or put what is different into the prompt.",
                twin, input=prompt_text(subject, twin), output=prompt_text(subject, row), expected="the same gold",
                severity="error" if many else "warning",
            )  # fmt: skip
            return


def _contradicting(subject: Subject, same: Callable[[str], str]) -> list[tuple[int, int]]:
    """Rows with different prompts that are the same to `same`, and with other gold."""
    alike: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for row, prompt, answer in pairs_of(subject):
        if not _ABOUT_FORM.search(prompt):
            alike[same(prompt)].append((row, prompt, bare(answer)))
    return [
        (first[0], other[0])
        for rows in alike.values()
        for first, other in pairwise(rows)
        if first[1] != other[1] and first[2] != other[2] and not _case_tells(first[1], other[1])
    ][:MOST_PAIRS]


def _case_tells(prompt: str, twin: str) -> bool:
    """Whether prompts differ only in symbols such as AaBb, which one of them has in two cases that mean two things."""
    words, others = _WORD.findall(prompt), _WORD.findall(twin)
    if len(words) != len(others):
        return False
    within = [_spelled_twice(words), _spelled_twice(others)]
    pairs = [(one, other) for one, other in zip(words, others, strict=True) if one != other]
    if pairs and all(_are_symbols(*pair) for pair in pairs):
        return True
    changed = {one.casefold() for one, _ in pairs}
    return bool(changed) and all(any(word in names for names in within) for word in changed)


def _are_symbols(one: str, other: str) -> bool:
    """Whether two spellings may be two symbols: a letter, or a few of which both have capitals."""
    if len(one) == 1:
        return one.casefold() not in ("a", "i")
    capitals = all(spelled != spelled.lower() for spelled in (one, other))
    return capitals and sum(map(str.isalpha, one)) <= MOST_OF_SYMBOL


def _spelled_twice(words: Sequence[str]) -> set[str]:
    """The words that are there in two cases, but for longer ones that may only begin a sentence in one place."""
    spelled: dict[str, set[str]] = defaultdict(set)
    for word in words:
        spelled[word.casefold()].add(word)
    begins = {word for word, ways in spelled.items() if len(word) > 2 and ways == {word, word.capitalize()}}
    return {word for word, ways in spelled.items() if len(ways) > 1} - begins


def _refused(subject: Subject, row: int, twin: int) -> bool:
    """Whether the gold of each of two rows loses most of its reward on the other one."""
    known = golds(subject)
    for one, other in ((row, twin), (twin, row)):
        for episode in play_answers(subject, [(other, known[one].turns)]):
            if not loses_half(subject, episode):
                return False
    return True


def _letters(prompt: str) -> str:
    """A prompt without case, spaces and the marks of sentences; as it is where it is drawn with marks."""
    if _is_drawn(prompt):
        return prompt
    text = _SENTENCE_MARK.sub(" ", _with_groups(prompt.casefold()))
    return " ".join(re.findall(r"\w+|[^\w\s]", text))


def _with_groups(text: str) -> str:
    """A text with the brackets of formulas as square ones, from the innermost on."""
    before = ""
    while before != text:
        before, text = text, _IN_BRACKETS.sub(_as_group, text)
    return text


def _as_group(found: re.Match[str]) -> str:
    return f"[{found[1]}]" if _OPERATOR.search(found[1]) else f" {found[1]} "


def _plain(prompt: str) -> str:
    """The same without the words that change nothing, and with short forms written out."""
    if _is_drawn(prompt):
        return prompt
    text = prompt.casefold()
    for short, full in _SHORT:
        text = short.sub(full, text)
    return " ".join(_letters(_SMALL.sub(" ", text)).split())


def _is_drawn(prompt: str) -> bool:
    marks, others = len(_MARK.findall(prompt)), len(re.findall(r"[^\w\s]", prompt))
    return marks > MOST_MARKS * len(prompt) or others > MOST_DRAWN * len("".join(prompt.split()))
