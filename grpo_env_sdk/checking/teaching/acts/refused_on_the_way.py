"""Whether what was refused, as an earlier act of gold is missing, counts as done for the acts after it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, scored_by_row, won_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG, words_of
from grpo_env_sdk.checking.evidence.shown_texts import texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Turns,
    acts_of,
    as_good_on_most,
    compared_turns,
    looking_tools,
    paid,
    played_turns,
    seldom_won,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.data.messages import places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

TASTED, PLACES, LONGEST = 4, 3, 300
"""On how many rows it is tried first, how many first acts are left out, and how long a refusal may be."""
REFUSAL = regex(
    r"\b(?:refus\w+|reject\w+|denied|declined?|forbidden|error|invalid|cannot|can't|not (?:allowed|permitted|possible)|"
    r"nothing (?:was|has|is)|(?:must|have to|has to|need to)\b[^.]{0,40}\b(?:first|before)|first|"
    r"not (?:been )?(?:done|sent|made|booked|changed|carried out|\w+ yet))\b",
    re.IGNORECASE,
)
"""What a reply says that refuses an act that comes too early, where others only note that something is missing."""


@dataclass(frozen=True, slots=True)
class _Shorter:
    """Gold without one act, and its number."""

    gold: Gold
    acts: Turns
    left_out: int

    @property
    def turns(self) -> Turns:
        """What is left of gold."""
        return [*self.acts[: self.left_out], *self.acts[self.left_out + 1 :]]

    def without(self, places: Sequence[int]) -> Turns:
        """The same without these acts of what is left as well."""
        return [act for place, act in enumerate(self.turns) if place not in places]


def refused_on_the_way(subject: Subject) -> Iterator[Finding]:
    """The finding that gold without an early act is gold, although an act after it is refused, and has to be done."""
    for place in range(PLACES):
        shorter = [one for gold in some_golds(subject) if (one := _without(subject, gold, place))]
        if len(shorter) < FEWEST_ROWS or not _won(subject, shorter[:TASTED]):
            continue
        won = _won(subject, shorter)
        if as_good_on_most(subject, won, len(shorter)) and _are_needed(subject, shorter, won):
            one = next(one for one in shorter if one.gold.row == won[0].row_index)
            refused = _refused(subject, one, won[0])[0]
            yield paid(
                subject, won, len(shorter),
                f"Gold without {turns_text([one.acts[place]])}, so that {turns_text([one.turns[refused]])} is refused "
                f"({_replies(won[0])[refused].strip()[:80]!r}) and counts as done all the same,",
                "Note as done only what was carried out: refuse first, and change what is looked at afterwards.",
            )  # fmt: skip
            return


def _without(subject: Subject, gold: Gold, place: int) -> _Shorter | None:
    """Gold without the call at this place among those that change something, if others come after it."""
    acts, looking = acts_of(gold), looking_tools(subject)
    changing = [number for number, act in enumerate(acts) if {one["name"] for one in functions_of([act])} - looking]
    return _Shorter(gold, acts, changing[place]) if len(changing) > place + 1 else None


def _won(subject: Subject, shorter: Sequence[_Shorter]) -> list[Episode]:
    """The episodes as good as gold in which something is refused that gold does."""
    by_row = {one.gold.row: one for one in shorter}
    won = won_of(subject, played_turns(subject, {row: one.turns for row, one in by_row.items()}))
    return [one for one in won if _refused(subject, by_row[one.row_index], one)]


def _refused(subject: Subject, one: _Shorter, episode: Episode) -> list[int]:
    """Which acts of the shorter gold are refused, outright or with the name of what is missing."""
    usual = set().union(*map(words_of, _replies(gold_episodes(subject)[one.gold.row])))
    missing = words_of(turns_text([one.acts[one.left_out]]))
    found = []
    for place, (act, said) in enumerate(zip(one.turns, _replies(episode), strict=False)):
        new = words_of(said) - words_of(turns_text([act]))
        ways = [REFUSAL, *([SAYS_WRONG] if new & missing else [])]
        refuses = any(words_of(words[0]) - usual for way in ways for words in way.finditer(said))
        found += [place] if place >= one.left_out and len(said) <= LONGEST and refuses else []
    return found


def _replies(episode: Episode) -> list[str]:
    """What was said after each turn of the model."""
    own = places_of_turns(episode.completion)
    ends = [*own[1:], len(episode.completion)]
    return ["\n".join(texts_of(episode.completion[start + 1 : end])) for start, end in zip(own, ends, strict=True)]


def _are_needed(subject: Subject, shorter: Sequence[_Shorter], won: Sequence[Episode]) -> bool:
    """Whether the same without the acts that were refused scores less on most rows."""
    refused = scored_by_row(won)
    rest = {
        one.gold.row: one.without(_refused(subject, one, refused[one.gold.row]))
        for one in shorter if one.gold.row in refused
    }  # fmt: skip
    return seldom_won(subject, compared_turns(subject, rest))
