"""Whether words that a prompt says cost something earn something, in gold or in an answer that is wrong."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.others import others_from
from grpo_env_sdk.checking.evidence.golds import Gold, reward_of
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Variant, golds_with_text, played
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.isolation.author_code.author_globals import held_by, packages_of
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_ROWS, MOST_WORDS, MOST_ENTRIES, MUCH = 8, 4, 10, 60, 0.05
"""On how many rows, with how many words of lists of what length, and which share of the range counts as more."""
_WORDS = (
    r"(?:words?|phrases?|terms?|expressions?|hedg\w+|fillers?|jargon|clich\w+|swear\w*|curs\w+|apolog\w+|greetings?|"
    r"buzzwords?|adverbs?|slang|flatter\w*)"
)
_COSTS = regex(
    rf"\b{_WORDS}\b.*\b(?:costs?|loses?|lowers?|reduces?|deduct\w*|penali[sz]\w*|punish\w*|subtract\w*|minus|forbidden|"
    rf"not allowed|taboo)\b|\b(?:avoid|do not (?:use|say|write)|don't (?:use|say|write)|never (?:use|say|write)|"
    rf"(?:lose|minus|deduct\w*|penalty|penali[sz]ed|punished)\b.* for)\b.*\b{_WORDS}\b",
    re.IGNORECASE,
)
_ASKED_FOR = regex(r"\b(?:missing|without|lack\w*|omit\w*|leav\w+|forget\w*|unless|fail\w*|other than|except)\b", re.I)
_LISTED = regex(
    r"\b(?:such as|like|e\.g\.|for example|including|(?:words|phrases):)[,:]? ([^.;()\n]{3,90})", re.IGNORECASE
)
_QUOTED = regex(r"[`'\"\u201c]([^\W\d_][\w ]{1,24})[`'\",\u201d]")
_LETTERS = regex(r"[^\W\d_]{3,}")
_COMMON = frozenset(
    ("the", "and", "cost", "costs", "points", "point", "half", "each", "all", "any", "are", "not", "for", "lose", "one")
)
_NEUTRAL = ["lorem", "ipsum", "dolor", "amet", "elit"]


def punished_words_pay(subject: Subject) -> Iterator[Finding]:
    """The finding that such words raise the score, where as many words that mean nothing do not."""
    known = golds_with_text(subject, MOST_ROWS)
    words = {gold.row: _punished(subject, gold, known) for gold in known}
    asked = [gold for gold in known if words[gold.row]]
    if len(asked) < FEWEST_ROWS:
        return
    for base in (_of_another, _own):
        variants = [one for gold in asked for one in _variants(gold, base(gold, known), words[gold.row])]
        outcomes = played(subject, variants)
        plain, neutral, punished = (
            {one.row_index: one for one in outcomes[name].episodes} if name in outcomes else {} for name in _KINDS
        )
        more = [
            row
            for row in punished
            if row in plain and row in neutral and _more(subject, punished[row], plain[row], neutral[row])
        ]
        if len(more) >= max(FEWEST_ROWS, 0.75 * len(asked)):
            yield _finding(punished[more[0]], plain[more[0]], words[more[0]], len(more), len(asked))
            return


_KINDS = ("plain", "neutral", "punished")


def _variants(gold: Gold, text: str, words: Sequence[str]) -> Iterator[Variant]:
    """A text alone, and after a sentence of words that mean nothing or that are punished."""
    neutral = (_NEUTRAL * len(words))[: len(words)]
    for name, before in zip(_KINDS, ((), neutral, words), strict=True):
        yield Variant(name, gold, f"{' '.join(before).capitalize()}.\n{text}" if before else text)


def _own(gold: Gold, known: Sequence[Gold]) -> str:
    return gold.text


def _of_another(gold: Gold, known: Sequence[Gold]) -> str:
    """The gold text of another row, which is wrong here in most environments."""
    return next((one.text for one in others_from(known, known.index(gold)) if one.text != gold.text), "lorem ipsum")


def _more(subject: Subject, punished: Episode, *others: Episode) -> bool:
    low, high = subject.traits.reward_range
    return all(reward_of(punished) > reward_of(one) + MUCH * (high - low) for one in others)


def _punished(subject: Subject, gold: Gold, known: Sequence[Gold]) -> list[str]:
    """The words that a prompt says cost something, and those beside them in a list of the author's code."""
    prompt = prompt_text(subject, gold.row)
    sentences = [one for one in sentences_of(prompt) if _COSTS.search(one) and not _ASKED_FOR.search(one)]
    if not sentences:
        return []
    named = [word.casefold() for one in sentences for word in _named(one)]
    listed = subject.once(("punished", " ".join(named)), lambda: list(_beside(subject, named, " ".join(sentences))))
    of_gold = {word.casefold() for one in known for word in _LETTERS.findall(one.text)}
    return [word for word in dict.fromkeys([*named, *listed]) if word not in of_gold | _COMMON][:MOST_WORDS]


def _named(sentence: str) -> Iterator[str]:
    for listed in (*_LISTED.findall(sentence), *_QUOTED.findall(sentence)):
        yield from _LETTERS.findall(listed)


def _beside(subject: Subject, named: Iterable[str], sentence: str) -> Iterator[str]:
    """The entries of the author's lists that hold one of these words, or whose name is in the sentence."""
    wanted = {*named} - _COMMON
    stems = {
        word[:4].casefold() for word in _LETTERS.findall(sentence) if re.fullmatch(_WORDS, word, re.IGNORECASE)
    } - {"word", "phra", "term"}
    for package in packages_of(type(subject.loaded.env)):
        for name, value in held_by(package):
            entries = _entries(value)
            is_named = any(word.casefold().startswith(tuple(stems)) for word in re.split(r"[\W_]", name) if stems)
            if entries and (wanted & {*entries} or (not wanted and is_named)):
                yield from entries


def _entries(value: Any) -> list[str]:
    """The words of a short list of single words."""
    if type(value) not in (list, tuple, set, frozenset) or not 0 < len(value) <= MOST_ENTRIES:
        return []
    return (
        sorted(one.casefold() for one in value)
        if all(type(one) is str and _LETTERS.fullmatch(one) for one in value)
        else []
    )


def _finding(punished: Episode, plain: Episode, words: Sequence[str], rows: int, of: int) -> Finding:
    return Finding(
        f"Words that the prompt says cost something pay, on {rows} of {of} rows: with {quoted(' '.join(words))} "
        f"before it a text scores {punished.reward:g}, without it {plain.reward:g}.",
        "Look for a penalty that is negative and has a negative weight: return 0 or more with a negative weight, "
        "or 0 or less with a positive one.",
        punished.row_index, answer_text(punished.completion), punished.reward, f"at most {plain.reward:g}",
    )  # fmt: skip
