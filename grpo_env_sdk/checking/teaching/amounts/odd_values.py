"""Whether an act of gold with a value that says nothing scores: empty, a wildcard, the same value twice."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.corruption import wrong_value
from grpo_env_sdk.checking.evidence.attempts.others import others_from
from grpo_env_sdk.checking.evidence.attempts.slots import TEXT, Slot, are_told, numbers_said, slots_of, with_values
from grpo_env_sdk.checking.evidence.golds import gold_episodes, play_compared, play_scored, won_of
from grpo_env_sdk.checking.evidence.playing.turns import calls_in
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import as_good_on_most, paid, seldom_won
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.side_doors import ABSURD
from grpo_env_sdk.types import Episode, Message

FEW, _SHARED = 4, 0.7
"""On how many rows a value is tried at first, and how few items differ where rows share them."""
_TEXTS = {"": "an empty text", "*": "'*'", "%": "'%'", ".*": "'.*'", "all": "'all'"}
_NO_NUMBER = {"nan": "'nan'"}
_EVERY, _JOINED, _BETWEEN = "a list of every item of any row", "every value of any row in one text", ", "
_MOST_JOINED = 40
"""How many values are joined to one text."""
_HINT = "Refuse {0} for {1}, in the schema or in the act, and compare the whole value with the right one."
Changed = dict[int, list[Message]]


@check("G532", kinds=("tools", "multi-turn"), needs=("acts",))
def values_that_say_nothing_are_not_gold(subject: Subject) -> Iterator[Finding]:
    """An act of gold with an empty value, a wildcard or one value in two places scores less than gold."""
    slots = slots_of(subject)
    for own in slots.values():
        odd = _odd_values(subject, own)
        tried = {what: _changed(own, value) for what, value in odd.items()}
        if found := _scoring(subject, own, tried):
            yield found
            return
    for one, other in permutations(slots, 2):
        if one[0] == other[0] and (pairs := _pairs(slots[one], slots[other])):
            turns = {row: with_values(pair, [pair[0].value] * 2) for row, pair in pairs.items()}
            what = f"the value of {_shown(pairs, 0)} also as {_shown(pairs, 1)}"
            if found := _scoring(subject, [pair[1] for pair in pairs.values()], {what: turns}):
                yield found
                return


def _odd_values(subject: Subject, slots: Sequence[Slot]) -> dict[str, Any]:
    """The values that say nothing, of the type of gold's, and what a finding calls them."""
    value = slots[0].value
    if isinstance(value, list):
        every = _every_item([one.value for one in slots if isinstance(one.value, list)])
        return {"an empty list": []} | ({_EVERY: every} if every else {})
    if isinstance(value, str):
        listed = known_values(subject).get((slots[0].act, slots[0].name), [])
        texts = _TEXTS | (_NO_NUMBER if all(_is_number(str(one.value)) for one in slots) else {})
        lists = [str(one.value).split(_BETWEEN) for one in slots]
        alike = len({len(items) > 1 for items in lists}) == 1
        every = _every_item(lists) if alike else []
        what = _EVERY if len(lists[0]) > 1 else _JOINED
        several = {what: _BETWEEN.join(every)} if 1 < len(every) <= _MOST_JOINED else {}
        return {what: text for text, what in texts.items() if text not in listed} | several
    if slots[0].act == TEXT:
        said = numbers_said(subject)
        return {str(odd): odd for odd in (*ABSURD, -(10**6)) if not min(said) <= odd <= max(said)}
    return {}


def _every_item(lists: Sequence[list[Any]]) -> list[Any]:
    """The items of all lists, each once; none where rows have items of their own, which no other row has."""
    known = [item for items in lists for item in items]
    distinct = [item for place, item in enumerate(known) if item not in known[:place]]
    return distinct if len(distinct) <= _SHARED * len(known) else []


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(?:\.\d+)?", text) is not None


def _changed(slots: Sequence[Slot], value: Any) -> Changed:
    """Gold with this value, on the rows where gold has another one."""
    return {slot.gold.row: with_values([slot], [value]) for slot in slots if _differs(slot.value, value)}


def _differs(value: Any, other: Any) -> bool:
    if isinstance(value, list) and isinstance(other, list):
        return sorted(map(repr, value)) != sorted(map(repr, other))
    return bool(value != other)


def _scoring(subject: Subject, slots: Sequence[Slot], tried: Mapping[str, Changed]) -> Finding | None:
    """The finding that one of these values scores as much as gold on most rows, while another wrong one does not."""
    for what, turns in tried.items():
        rows = list(turns)
        if len(rows) < FEW or len(won_of(subject, _played(subject, turns, rows[:FEW]))) < FEW - 1:
            continue
        played = _played(subject, turns, rows)
        won = won_of(subject, played)
        if _shows_as_much(subject, slots, won):
            continue
        usual = play_compared(subject, list(_wrong(slots).items()))
        if as_good_on_most(subject, won, len(played)) and seldom_won(subject, usual):
            where = slots[0].act if slots[0].act == TEXT else f"{slots[0].name!r} of {slots[0].act}"
            is_pair = what.startswith("the value of")
            named = f"Gold with {what}" if is_pair else f"Gold with {what} as {_name(slots[0])}"
            finding = paid(subject, won, len(played), named, _HINT.format("it" if is_pair else what, where))
            return replace(finding, severity="warning") if what == _TEXTS[""] and are_told(subject, slots) else finding
    return None


def _shows_as_much(subject: Subject, slots: Sequence[Slot], won: Sequence[Episode]) -> bool:
    """Whether the reply has all words of the one to gold's value, which differs by row: a look that shows all."""
    of_gold = {slot.gold.row: _reply(gold_episodes(subject)[slot.gold.row], slot) for slot in slots}
    replies = [(of_gold[one.row_index], _reply(one, slot)) for one in won for slot in slots
               if slot.gold.row == one.row_index]  # fmt: skip
    return len(set(of_gold.values())) >= FEW and all(words_of(gold) <= words_of(odd) for gold, odd in replies)


def _reply(episode: Episode, slot: Slot) -> str:
    """What the call of a slot was answered with; empty for a text."""
    before = calls_in(slot.gold.turns[: slot.turn])
    place = before + slot.place if isinstance(slot.place, int) else len(episode.tool_calls)
    return str(episode.tool_calls[place]["content"]) if place < len(episode.tool_calls) else ""


def _wrong(slots: Sequence[Slot]) -> Changed:
    """Gold with a plain wrong value: that of another row, or an invented one."""
    found = {}
    for place, slot in enumerate(slots):
        others = [one.value for one in others_from(slots, place) if _differs(one.value, slot.value)]
        invented = slot.value[1:] if isinstance(slot.value, list) else wrong_value(slot.value)
        found[slot.gold.row] = with_values([slot], [others[0] if others else invented])
    return found


def _played(subject: Subject, turns: Changed, rows: Sequence[int]) -> list[Episode]:
    return play_scored(subject, [(row, turns[row]) for row in rows if row in turns])


def _pairs(one: Sequence[Slot], other: Sequence[Slot]) -> dict[int, tuple[Slot, Slot]]:
    """Two different values of the same type in the same act, by row."""
    by_row = {slot.gold.row: slot for slot in other}
    together = {slot.gold.row: (slot, by_row[slot.gold.row]) for slot in one if slot.gold.row in by_row}
    return {
        row: pair for row, pair in together.items()
        if pair[0].turn == pair[1].turn and type(pair[0].value) is type(pair[1].value) in (str, int)
        and pair[0].value != pair[1].value
    }  # fmt: skip


def _shown(pairs: Mapping[int, tuple[Slot, Slot]], place: int) -> str:
    return _name(next(iter(pairs.values()))[place])


def _name(slot: Slot) -> str:
    return f"{slot.name} of {slot.act}" if slot.act == TEXT else f"{slot.name!r} of {slot.act}"
