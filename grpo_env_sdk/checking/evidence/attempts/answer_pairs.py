"""Each prompt with its answer, and how an answer is looked for in a text."""

import re
from random import Random

from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import golds
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject

Pairs = list[tuple[int, str, str]]
"""Row, prompt and answer."""


def halves(pairs: Pairs) -> tuple[Pairs, Pairs]:
    """Two halves of the rows that have nothing to do with their order, as every second row may be special."""
    mixed = Random(len(pairs)).sample(pairs, len(pairs))
    return mixed[::2], mixed[1::2]


def pairs_of(subject: Subject) -> Pairs:
    """Row, prompt and answer without the form that all answers share."""
    known = golds(subject)
    form = form_of([gold.text for gold in known.values()])
    return [(row, prompt_text(subject, row), bare(without_form(gold.text, form))) for row, gold in known.items()]


def as_a_part(answer: str) -> str:
    """The pattern of an answer that is no part of a longer word."""
    return rf"(?<![^\W_]){re.escape(answer)}(?![^\W_])"
