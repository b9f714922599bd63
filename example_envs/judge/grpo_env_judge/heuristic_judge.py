"""`HeuristicJudge`: rules instead of a model, so that it runs offline and always gives the same verdict."""

import re
from itertools import pairwise

from grpo_env_judge.facts import Facts, spans
from grpo_env_judge.wording import MOST_WORDS

FEWEST_WORDS = 8
_SENTENCE = re.compile(r"[A-Z][^.!?]*[.!]")
_LABEL = re.compile(r"\b[A-Za-z]+: |;")
_VERBS = re.compile(
    r"\b(?:is|are|starts?|begins?|meets?|moves?|takes?|costs?|will|opens?|join|come)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+")


class HeuristicJudge:
    """Four rules of equal weight; it does not understand the text, so a dull sentence can score 1."""

    async def verdict(self, facts: Facts, notice: str) -> float | None:
        """The share of the rules that a notice meets."""
        kept = [_is_one_sentence(notice), _is_short(notice), _is_prose(notice), _joins_facts(notice)]
        return sum(kept) / len(kept)


def _is_one_sentence(text: str) -> bool:
    return _SENTENCE.fullmatch(text) is not None


def _is_short(text: str) -> bool:
    return FEWEST_WORDS <= len(text.split()) <= MOST_WORDS


def _is_prose(text: str) -> bool:
    """The text has a verb, and neither labels nor a list."""
    return _VERBS.search(text) is not None and _LABEL.search(text) is None


def _joins_facts(text: str) -> bool:
    """There are words between one fact and the next."""
    found = spans(text)
    between = [text[end:start] for (_, end), (start, _) in pairwise(found)]
    return bool(between) and all(_WORD.search(gap) for gap in between)
