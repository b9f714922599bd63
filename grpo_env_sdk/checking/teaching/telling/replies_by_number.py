"""Whether questions that may be asked in any order are answered by their number and not by what they ask."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, play_compared, won_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.acts.any_order import ANY_ORDER
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

FEWEST_LETTERS = 3
_ASKING = regex(r"\b(?:ask\w*|questions?|find out|frag\w*|demand\w*|pregunt\w*|chied\w*|pergunt\w*)\b", re.IGNORECASE)
_VALUE = regex(rf"\d+(?:[.,:]\d+)*|\b(?:{COUNT_WORDS}|yes|no|ja|nein|oui|non|sí|sì)\b", re.IGNORECASE)
"""What an answer says that only its question gives a meaning to."""


@dataclass(frozen=True, slots=True)
class _Turned:
    """Gold's questions the other way round: their places, all turns, and what gold was answered in these places."""

    places: tuple[int, ...]
    turns: list[Message]
    replies: tuple[str, ...]


@check("G700", kinds=("tools", "multi-turn"), needs=("gold",))
def questions_are_answered_by_what_they_ask(subject: Subject) -> Iterator[Finding]:
    """Where questions may be asked in any order, each is answered by what it asks, and not by its number."""
    tried = {gold.row: turned for gold in some_golds(subject) if (turned := _turned(subject, gold))}
    if len(tried) < FEWEST_ROWS:
        return
    played = play_compared(subject, [(row, one.turns) for row, one in tried.items()])
    alike = [
        one
        for one in won_of(subject, played)
        if _replies(one, tried[one.row_index].places) == tried[one.row_index].replies
    ]
    if len(alike) == len(tried):
        yield _finding(tried, alike)


def _turned(subject: Subject, gold: Gold) -> _Turned | None:
    """The questions of gold that name things which a prompt wants to be asked for in any order, the last one first."""
    said = [
        one for one in sentences_of(prompt_text(subject, gold.row)) if ANY_ORDER.search(one) and _ASKING.search(one)
    ]
    asked = {
        place: words for place, turn in enumerate(gold.turns)
        if not turn.get("tool_calls") and (words := _words(str(turn.get("content") or "")) & _words(" ".join(said)))
    }  # fmt: skip
    own = [place for place in asked if asked[place].difference(*(asked[other] for other in asked if other != place))]
    places, turns = tuple(own), list(gold.turns)
    for place, other in zip(places, reversed(places), strict=True):
        turns[place] = gold.turns[other]
    replies = _replies(gold_episodes(subject)[gold.row], places)
    forms = {_VALUE.sub("", one).casefold() for one in replies}
    if len(places) < 2 or len(forms) != 1 or replies == replies[::-1] or not all(map(_VALUE.search, replies)):
        return None
    return _Turned(places, turns, replies)


def _words(text: str) -> set[str]:
    return {word for word in words_of(text) if len(word) >= FEWEST_LETTERS}


def _replies(episode: Episode, places: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(reply_to(episode, place) for place in places)


def _finding(tried: Mapping[int, _Turned], alike: list[Episode]) -> Finding:
    episode = alike[0]
    turned = tried[episode.row_index]
    question = str(turned.turns[turned.places[0]].get("content"))
    return Finding(
        f"Questions that may be asked in any order are answered by their number, on all of {len(alike)} rows: "
        f"{quoted(question)} gets {quoted(turned.replies[0])} as the first question and {quoted(turned.replies[-1])} "
        f"as number {len(turned.places)}, while the same acts score {episode.reward:g} after both.",
        "Let the user answer by what is asked for in the last message, or say in the prompt in which order to ask.",
        episode.row_index, own_turns(episode.completion), episode.reward,
        severity="error",
    )  # fmt: skip
