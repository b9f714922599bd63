"""Who took the last of so many things, counted from what both sides say that they take."""

import re
from itertools import pairwise

from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, count_of
from grpo_env_sdk.checking.evidence.shown_texts import texts_of
from grpo_env_sdk.data.messages import content_text, places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

OTHER = r"(?:I|it|he|she|they|(?:the |my |your )?(?:computer|opponent|machine|bot|house|dealer|other (?:player|side)))"
TAKE = r"(?:take|takes|took|remove[sd]?|pick(?:s|ed)?|draws?|drew|eats?|ate|claim(?:s|ed)?|grab(?:s|bed)?|gets?|got)"
_THEIRS = regex(
    rf"\b(?:{OTHER}(?: now| then| just)? {TAKE}(?: away| up| off)?|ich (?:nehme|entferne)|(?:nehme|entferne) ich|"
    r"(?:je|j') ?(?:prends|retire|enlève)|(?:tomo|quito|saco|cojo|retiro)|(?:io )?prendo) "
    rf"(?P<count>\d+|{COUNT_WORDS})\b",
    re.IGNORECASE,
)
_NUMBER = regex(r"\d+")


def last_taker(prompt: str, episode: Episode) -> str:
    """Who took the last one, if bare numbers and what replies say was taken add up to a prompt's largest number."""
    said = [content_text(turn.get("content")).strip() for turn in own_turns(episode.completion)]
    numbers = [int(one) for one in _NUMBER.findall(prompt)]
    if len(said) < 2 or not numbers or not all(map(_NUMBER.fullmatch, said)) or "0" in said:
        return ""
    own = [*places_of_turns(episode.completion), len(episode.completion)]
    replies = [" ".join(texts_of(episode.completion[start:end])) for start, end in pairwise(own)]
    theirs = [[count_of(one) for one in _THEIRS.findall(reply)] for reply in replies]
    if any(len(found) != 1 for found in theirs[:-1]) or len(theirs[-1]) > 1:
        return ""  # a message was refused, or more than one other side plays
    if sum(map(int, said)) + sum(map(sum, theirs)) != max(numbers):
        return ""
    return "other" if any(theirs[-1]) else "you"
