"""Whether a date that gold gives can only be counted from a reply that follows the clock, which gold does not."""

import re
from collections.abc import Sequence
from datetime import date

from grpo_env_sdk.checking.evidence.golds import as_good_as_gold
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.asked_dates import dates_in
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

_COUNTED = regex(
    r"\b(?:today|tomorrow|yesterday|from now|ago|in (?:\d+|an?|one|two|three) (?:days?|weeks?|months?|years?)|"
    r"next (?:day|week|month|year)|heute|morgen|gestern|aujourd'hui|demain|hier|hoy|mañana|ayer|oggi|domani|ieri)\b",
    re.IGNORECASE,
)
_FIXED = regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def counted_from_the_clock(subject: Subject, pairs: Sequence[tuple[Episode, Episode]]) -> bool:
    """Whether a date of gold can only be counted from the date of the day, and is right on another day as well."""
    return any(_only_from_the_clock(subject, here, there) for here, there in pairs)


def _only_from_the_clock(subject: Subject, here: Episode, there: Episode) -> bool:
    prompt = prompt_text(subject, here.row_index)
    given = _dates([turns_text(own_turns(here.completion))])
    told, later = (_dates(texts_of(episode.completion)) for episode in (here, there))
    counted = _COUNTED.search(prompt) and not _FIXED.search(prompt)
    alone = told and later and not told & later and given and not given & told
    return bool(counted and alone) and here.reward == there.reward and as_good_as_gold(subject, here)


def _dates(texts: Sequence[str]) -> set[date]:
    return {day for text in texts for day in dates_in(text)}
