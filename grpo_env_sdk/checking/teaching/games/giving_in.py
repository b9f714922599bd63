"""Whether a simulated user gives in to messages that say nothing."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    as_good_as_gold,
    golds,
    less_than_gold,
    play_answers,
    reward_of,
    reward_to_match,
    was_scored,
)
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message, places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

FILLERS = (".", "Okay.", "lorem ipsum")
TASTED, MOST_ROWS, FEWEST_ROWS, MOST_ENDS = 3, 12, 4, 8
LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16)
MUCH = 0.5
"""The share of what there is to earn from which on filling turns pay too much."""
_NUMBER = regex(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)")
_QUOTED = regex(r"`([^`\n]{1,30})`|\"([^\"\n]{1,30})\"|'([^'\n]{1,30})'")
_PLACE = regex(r"\b[A-Z]{2,}\b|<\w+>|\b\d+(?:\.\d+)?\b")
_WAITING = regex(
    r"\b(?:wait\w*|patien\w*|hold out|each (?:turn|message|round)|every (?:turn|message|round)|time)\b", re.I
)
"""What prompts say where it may be right to let time pass."""


@dataclass(frozen=True, slots=True)
class End:
    """An act that may end an episode: a text, or a tool with the parameters that take the last number shown."""

    text: str = ""
    tool: str = ""
    numbers: tuple[str, ...] = ()

    def act(self, number: float) -> str | Message:
        """The act, with the last number that was shown."""
        if self.tool:
            return call_message(self.tool, **dict.fromkeys(self.numbers, number))
        return _PLACE.sub(f"{number:g}", self.text)


@dataclass(frozen=True, slots=True)
class Fill:
    """So many turns that say nothing, and then an act that ends the episode; none is that act at once."""

    filler: str
    turns: int
    end: End

    def after(self, silent: Episode) -> list[str | Message]:
        """Its turns in a row of which an episode with fillers alone is known."""
        shown = texts_of(silent.messages[: _place_of_turn(silent, self.turns)])
        found = _NUMBER.findall(shown[-1]) if shown else []
        number = float(found[-1]) if found else 0.0
        return [*[self.filler] * self.turns, self.end.act(int(number) if number == int(number) else number)]


@check("G598", kinds=("tools", "multi-turn"))
def nobody_gives_in_to_silence(subject: Subject) -> Iterator[Finding]:
    """Messages that say nothing, and then the act that ends the episode, score less than gold."""
    if subject.traits.user == "model" or (subject.traits.kind == "tools" and subject.traits.user == "none"):
        return
    rows = (list(golds(subject)) or subject.sample(MOST_ROWS))[:MOST_ROWS]
    ends = _ends(subject, rows[0])
    for filler in FILLERS if len(rows) >= FEWEST_ROWS and ends else ():
        silent = _silent(subject, rows, filler)
        best = _best(subject, dict(list(silent.items())[:TASTED]), filler, ends)
        found = _played(subject, silent, best) if best is not None else []
        paid = [pair for pair in found if _earned(subject, *pair) >= MUCH]
        if best is not None and len(paid) >= max(FEWEST_ROWS, 0.75 * len(rows)):
            yield _finding(subject, best, paid, len(found))
            return


def _silent(subject: Subject, rows: Sequence[int], filler: str) -> dict[int, Episode]:
    """By row, the episode with fillers alone, where what they are answered changes."""
    turns = max(1, min(subject.traits.max_turns - 1, LENGTHS[-1]))
    played = play_answers(subject, [(row, [filler] * turns) for row in rows])
    return {one.row_index: one for one in played if not one.error and len(set(texts_of(one.completion))) > 1}


def _best(subject: Subject, silent: Mapping[int, Episode], filler: str, ends: Sequence[End]) -> Fill | None:
    """The fewest fillers, and the end after them, that earn most in all of these rows."""
    if len(silent) < TASTED:
        return None
    earned = {}
    for end in ends:
        for turns in LENGTHS:
            if turns < min(len(own_turns(one.completion)) for one in silent.values()) or turns == 1:
                fill = Fill(filler, turns, end)
                played = _played(subject, silent, fill)
                earned[fill] = min((_earned(subject, *pair) for pair in played), default=0.0)
    best = max(earned, key=lambda fill: (round(earned[fill], 6), -fill.turns), default=None)
    return best if best is not None and earned[best] >= MUCH else None


def _played(subject: Subject, silent: Mapping[int, Episode], fill: Fill) -> list[tuple[Episode, Episode]]:
    """The episodes of the end at once, and after the fillers, by row."""
    tried = [(row, each.after(one)) for row, one in silent.items() for each in (replace(fill, turns=0), fill)]
    episodes = play_answers(subject, tried)
    pairs = zip(episodes[::2], episodes[1::2], strict=False)
    return [pair for pair in pairs if all(map(was_scored, pair))]


def _earned(subject: Subject, at_once: Episode, filled: Episode) -> float:
    """Which share of what is missing at once is earned after the fillers."""
    before, after = reward_of(at_once), reward_of(filled)
    missing = reward_to_match(subject, filled.row_index) - before
    return (after - before) / missing if NEARLY < missing < inf else 0.0


def _ends(subject: Subject, row: int) -> list[End]:
    """The acts that may end an episode: tools without arguments, or with numbers, and what a game puts in quotes."""
    if subject.traits.kind == "multi-turn" and not subject.tools_of(row):
        quoted = ["".join(one) for one in _QUOTED.findall(prompt_text(subject, row))]
        return [End(text) for text in dict.fromkeys(quoted)][:MOST_ENDS]
    found = []
    for tool in subject.tools_of(row):
        needed = required_of(tool)
        if all(properties_of(tool).get(name, {}).get("type") in ("integer", "number") for name in needed):
            found.append(End(tool=name_of(tool), numbers=tuple(needed)))
    return found[:MOST_ENDS]


def _place_of_turn(episode: Episode, turn: int) -> int:
    """Where in its messages a turn of the model begins."""
    places = places_of_turns(episode.messages)
    return places[turn] if turn < len(places) else len(episode.messages)


def _finding(subject: Subject, fill: Fill, paid: Sequence[tuple[Episode, Episode]], of: int) -> Finding:
    at_once, filled = paid[0]
    turns = own_turns(filled.completion)
    act = answer_shown(turns[fill.turns : fill.turns + 1])
    waits = any(_WAITING.search(prompt_text(subject, one.row_index)) for one, _ in paid)
    wins = sum(as_good_as_gold(subject, one) for _, one in paid) >= 0.75 * of
    return Finding(
        f"{fill.turns} messages {fill.filler!r} and then {act} score {filled.reward:g} on {len(paid)} of {of} rows, "
        f"where {act} at once scores {at_once.reward:g}: whoever answers gives in to words that say nothing.",
        "Let what the model says decide: give in only to an argument, an offer or a question that is in the message.",
        filled.row_index, turns, filled.reward, less_than_gold(subject, filled),
        "error" if wins and not waits else "warning",
    )  # fmt: skip
