"""Whether gold loses rows of a game whose prompt speaks of chance, and yet plays better than what wins other rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import NEARLY, play_compared, reward_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS, MOST_OTHERS, FEWEST_OTHERS, FEWEST_WON = 60, 8, 2, 8
_CHANCE = regex(
    r"\b(?:shuffl\w+|dice|a die|(?:bad|good) luck|by luck|at random|by chance|(?:toss|flip)\w* (?:of )?(?:a|the) coin|"
    r"lottery|roulette|hidden card|gemischte[nrs]?|gewürfelt|würfel\w*|zufällig\w*)\b",
    re.IGNORECASE,
)
"""What a prompt says of a game that chance decides in part."""


@dataclass(frozen=True, slots=True)
class Played:
    """What answers that win other rows do on all of them, in a game that its prompt calls one of chance."""

    word: str
    others: int
    rows: int
    lost: int
    best_lost: int
    """On how many rows gold does not win, and on how many of these no other answer earns more."""


def lost_by_told_chance(subject: Subject, scored: Sequence[Episode], short: Sequence[Episode]) -> Played | None:
    """The proof that gold loses by chance: others earn less in all, and no more on most rows that it does not win."""
    rows = {one.row_index: one for one in scored[:MOST_ROWS]}
    lost = [one for one in short if one.row_index in rows]
    told = [_CHANCE.search(prompt_text(subject, one.row_index)) for one in lost]
    short_rows = {one.row_index for one in short}
    won = [one for one in scored if one.row_index not in short_rows]
    different = list({_said(own_turns(one.completion)): own_turns(one.completion) for one in won}.values())
    others = different[:MOST_OTHERS]
    few = len(won) < FEWEST_WON or len(others) < FEWEST_OTHERS
    if subject.traits.kind == "single-turn" or few or not told or None in told or not _moves(lost) <= _moves(won):
        return None
    earned = sum(map(reward_of, rows.values()))
    better: set[int] = set()
    for turns in others:
        played = play_compared(subject, [(row, turns) for row in rows])
        if len(played) < len(rows) or sum(map(reward_of, played)) >= earned - NEARLY:
            return None
        better |= {one.row_index for one in played if reward_of(one) > reward_of(rows[one.row_index]) + NEARLY}
    best_lost = sum(one.row_index not in better for one in lost)
    word = told[0][0] if told[0] else ""
    return Played(word, len(others), len(rows), len(lost), best_lost) if 2 * best_lost > len(lost) else None


def _moves(episodes: Sequence[Episode]) -> set[str]:
    """All that is said in a turn of these episodes."""
    return {_said([turn]) for one in episodes for turn in own_turns(one.completion)}


def _said(turns: Sequence[Message]) -> str:
    """What turns say, without the ids of calls."""
    return canonical_json(
        [[turn.get("content"), [call.get("function") for call in turn.get("tool_calls") or ()]] for turn in turns]
    )
