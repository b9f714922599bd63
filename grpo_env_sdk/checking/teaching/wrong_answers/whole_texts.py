"""Whether the whole of a gold answer counts that is several lines, or several words, from its first to its last."""

import re
from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds, without_form
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.playing.read_columns import is_compared_with
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played, still_earns
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.late_patterns import regex

MOST_ROWS = {"quick": 6, "default": 10, "thorough": 40}
MOST_FOUND, MOST_LINE = 2, 80
FEWEST_WORDS, MANY_WORDS, FEWEST_ALIKE = 4, 12, 3
FIRST_SENTENCE, TURNED = "cut to its first sentence", "with a 'not' put in or left out"
_EXACTLY = regex(
    r"\b(?:word for word|verbatim|letter for letter|exactly as (?:it|they)|as it (?:is|was) (?:written|printed)|"
    r"exact (?:words|wording|text)|wörtlich|mot pour mot|mot à mot|palabra por palabra|parola per parola)\b",
    re.IGNORECASE,
)
"""What a prompt says where every word counts."""
_VERB = r"(shall|must|should|is|are|was|were|may|will|can|could|does|do|did|has|have)"
_EXPLAINED = regex(
    r"\b(?:expla\w+|why|reason\w*|justif\w*|because|show (?:your|the|all)|step by step|work\w*|think\w*|brief\w*|"
    r"then (?:the|your|give|say|write|state)|(?:last|first|final) (?:line|word|number|sentence)|summar\w+)\b",
    re.IGNORECASE,
)
"""What a prompt says where a part of the answer is the answer, and the rest tells how it was found."""
_MARKED = regex(
    r"\d\s*[-+*/^]\s*\d[^/]*=|####|```|boxed|<\w+>|\b(?:answer|final|therefore|thus|hence|because|so)\b", re.IGNORECASE
)
"""What gold says where a part of it is the answer."""
_OTHER_WORDS = ("zebra", "lorem", "quartz", "ipsum", "violet", "dolor", "walrus")
_TO_SOME_LENGTH, _FROM_SOME_LENGTH = "with other words in its last quarter", "with other words in its first quarter"
_HINT = "Compare the whole answer: first how many lines or words it has, as `zip` ends with the shorter one, then each."


@check("G550", needs=("gold",), severity="warning")
def the_whole_answer_counts(subject: Subject) -> Iterator[Finding]:
    """A gold answer of several lines or words scores less where it is cut off, or where a part says something else."""
    form = form_of_golds(subject)
    known = [gold for gold in golds_with_text(subject, MOST_ROWS[subject.effort]) if _is_whole(subject, gold)]
    cores = {gold.row: without_form(gold.text, form).strip() for gold in known}
    others = list(dict.fromkeys(line for core in cores.values() for line in core.split("\n")))
    texts = {gold.row: gold.text.strip() for gold in known}
    compared = bool(known) and (is_compared_with(subject, cores) or is_compared_with(subject, texts))
    variants = [
        Variant(name, gold, f"{form[0]}{changed}{form[1]}")
        for gold in known
        for name, changed in _changed(cores[gold.row], others, compared)
        if changed != cores[gold.row]
    ]
    variants += [
        Variant(TURNED, gold, f"{form[0]}{changed}{form[1]}")
        for gold in known
        if _EXACTLY.search(prompt_text(subject, gold.row)) and (changed := turned_around(cores[gold.row]))
    ]
    outcomes = played(subject, variants)
    accepted = [one for one in outcomes.values() if one.proven(MOSTLY)]
    for outcome in accepted[:MOST_FOUND]:
        tolerant = outcome.name == _TO_SOME_LENGTH and _anywhere(outcomes)
        sure = outcome.name in (FIRST_SENTENCE, TURNED) or (compared and not tolerant)
        yield still_earns(subject, outcome, outcome.name, _HINT, "error" if sure else "warning")


def turned_around(text: str) -> str | None:
    """A sentence of several words that says the opposite, by one word; None where it has no such verb."""
    if len(text.split()) < FEWEST_WORDS:
        return None
    without = re.sub(rf"\b{_VERB} not\b", r"\1", text, count=1, flags=re.IGNORECASE)
    changed = without if without != text else re.sub(rf"\b{_VERB}\b", r"\1 not", text, count=1, flags=re.IGNORECASE)
    return changed if changed != text else None


def _is_whole(subject: Subject, gold: Gold) -> bool:
    """Whether neither gold nor its prompt says that a part of gold is the answer."""
    return not _MARKED.search(gold.text) and not _EXPLAINED.search(prompt_text(subject, gold.row))


def _anywhere(outcomes: dict[str, Outcome]) -> bool:
    """Whether a quarter at the other end may be wrong too, so that a tolerance may be meant."""
    return _FROM_SOME_LENGTH in outcomes and bool(outcomes[_FROM_SOME_LENGTH].won)


def _changed(core: str, others: Sequence[str], compared: bool) -> Iterator[tuple[str, str]]:
    lines = core.split("\n")
    if len(lines) > 1 and all(line.strip() for line in lines) and max(map(len, lines)) <= MOST_LINE:
        yield from _of_lines(lines, [other for other in others if other not in lines])
    elif len(sentences := re.split(r"(?<=[.;!])\s+", core)) >= FEWEST_ALIKE and _alike(sentences):
        yield FIRST_SENTENCE, sentences[0]
    elif compared:
        yield from _of_words(core)


def _alike(sentences: Sequence[str]) -> bool:
    """Whether sentences are the entries of a list: about half of the words are the same in the first two."""
    first, second = (set(re.findall(r"\w+", sentence.casefold())) for sentence in sentences[:2])
    return 2 * len(first & second) >= max(len(first), len(second)) - 1 > 0


def _of_lines(lines: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Lines left out, added, and exchanged for one of another row."""
    other = others[len(lines) % len(others)] if others else "lorem ipsum"
    for name, changed in (
        ("cut to its first line", lines[:1]),
        ("without its last line", lines[:-1]),
        ("without its first line", lines[1:]),
        ("behind another line", [other, *lines]),
        ("with another line in place of its last one", [*lines[:-1], other]),
        ("with another line in place of its first one", [other, *lines[1:]]),
        ("with other lines in place of all but the first", [lines[0], *[other] * (len(lines) - 1)]),
    ):
        yield name, "\n".join(changed)


def _of_words(core: str) -> Iterator[tuple[str, str]]:
    """Words cut off, and exchanged for others, at the start, in the middle and at the end."""
    words = core.split(" ")
    if len(words) < FEWEST_WORDS or "\n\n" in core:
        return
    half, quarter = len(words) // 2, len(words) // 4
    yield "cut to its first half", " ".join(words[:half])
    yield "with other words in its second half", " ".join([*words[:half], *_other(words[half:])])
    yield "with other words in its first half", " ".join([*_other(words[:half]), *words[half:]])
    if len(words) >= MANY_WORDS:
        yield _FROM_SOME_LENGTH, " ".join([*_other(words[:quarter]), *words[quarter:]])
        yield _TO_SOME_LENGTH, " ".join([*words[:-quarter], *_other(words[-quarter:])])
    if len(words) > FEWEST_WORDS:
        yield "with other words between its ends", " ".join([words[0], *_other(words[1:-1]), words[-1]])


def _other(words: Sequence[str]) -> list[str]:
    """As many other words, in capitals where these are."""
    others = islice(cycle(_OTHER_WORDS), len(words))
    return [other.upper() if word.isupper() else other for word, other in zip(words, others, strict=True)]
