"""Whether gold lost its accents when the rows were written, while answers are compared with theirs."""

import ast
import re
import unicodedata
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, row_functions, score_functions
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

FEWEST_WORDS, SURE, FEWEST_ROWS, MOST_PLAYED, SOME = 12, 25, 4, 6, 0.02
"""How many different words gold has, and from how many on it is an error, on how many rows accents are tried, and
the share of the words of prompts that have accents."""
_WORD = regex(r"[^\W\d_]{3,}")
_LEFT_OUT = regex(
    r"\b(?:ASCII|unaccented|(?:without|no|sans|sin|ohne|senza|sem|leave out|omit|drop|ignor\w+) (?:\w+ )?(?:accents?|"
    r"diacritic\w*|umlaut\w*|acentos?|tildes?|accenti?|signos diacríticos))\b",
    re.IGNORECASE,
)
_ACCENTS = dict(zip("aeiou", "áéíóú", strict=True))
_FOLDS = ({"NFD", "NFKD"}, {"Mn", "combining", "ascii", "ASCII"})
"""What code names that takes accents off: the form in which they stand apart, and how they are told from letters."""


@check("C155", needs=("gold",), kinds=("single-turn",))
def gold_keeps_its_accents(subject: Subject) -> Iterator[Finding]:
    """Where the code of the rows takes accents off, gold keeps them, or answers are compared without theirs."""
    folding = next((one for one in row_functions(subject.loaded.env) if takes_accents_off(one)), None)
    if folding is None or any(map(takes_accents_off, score_functions(subject.loaded.env))):
        return
    known = golds(subject)
    words = {word for gold in known.values() for word in _WORD.findall(gold.text)}
    prompts = [prompt_text(subject, row) for row in known]
    shown = {word for prompt in prompts for word in _WORD.findall(prompt)}
    if len(words) < FEWEST_WORDS or any(map(_has_accent, words)) or any(map(_LEFT_OUT.search, prompts)):
        return
    if sum(map(_has_accent, shown)) < SOME * len(shown):
        return
    tried = [(gold.row, accented) for gold in known.values() if (accented := _accented(gold.text))][:MOST_PLAYED]
    episodes = play_answers(subject, [(row, [*known[row].turns[:-1], text]) for row, text in tried])
    if len(episodes) >= FEWEST_ROWS and all(loses_half(subject, episode) for episode in episodes):
        row, text = tried[0]
        yield Finding(
            f"No gold has an accent: {folding.name} takes them off when rows are written, and nothing does so with "
            f"answers, so words with their accents score {episodes[0].reward:g} wherever they have one. Gold is "
            f"{quoted(known[row].text)} in row {row}, and a letter with an accent loses.",
            "Keep the accents of gold, or take them off both before they are compared.",
            row, text, episodes[0].reward, known[row].reward, severity="error" if len(words) >= SURE else "warning",
        )  # fmt: skip


def takes_accents_off(one: ScoreFunction) -> bool:
    """Whether a function names what takes accents off a text."""
    names = {node.attr for node in one.nodes if isinstance(node, ast.Attribute)}
    names |= {node.id for node in one.nodes if isinstance(node, ast.Name)}
    texts = {node.value for node in one.nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    if names & {"unidecode", "strip_accents", "remove_accents"}:
        return True
    return bool(texts & _FOLDS[0]) and bool((texts | names) & _FOLDS[1])


def _has_accent(word: str) -> bool:
    return any(unicodedata.combining(char) for char in unicodedata.normalize("NFD", word))


def _accented(text: str) -> str | None:
    """A text with an accent on its last vowel."""
    place = max((text.rfind(vowel) for vowel in _ACCENTS), default=-1)
    return None if place < 0 else f"{text[:place]}{_ACCENTS[text[place]]}{text[place + 1 :]}"
