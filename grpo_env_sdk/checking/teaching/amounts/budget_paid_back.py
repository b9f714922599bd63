"""Whether a negative number of one thing pays for more of another than there is money for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from grpo_env_sdk.checking.evidence.golds import won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import schema_of
from grpo_env_sdk.checking.evidence.secret_words import says_wrong
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools, prompt_text, results_of_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Act,
    Turns,
    called_together,
    compared_acts,
    paid,
    played_acts,
)
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import listed_beside
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.made_room import Before, made_room
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

LESS, MORE = (20, 300), [2**power for power in range(10, -1, -1)]
"""How much less than nothing is taken of one thing, and the numbers of the other that are tried one after another."""
LESS_FOR_ALL, EACH = (20, 50, 80, 120, 300), (1, 2, 3, 5, 10)
"""The same where some of every other thing is taken, and how much of each, one number after another."""
FAR_LESS = 1_000
MOST_THINGS, MOST_NAMED, MOST_PAYING, MOST_BOUGHT, TASTED = 3, 40, 8, 3, 4
"""How many parameters may be the thing, how many names are tried, how many things pay, for how many others, and on how
many rows at first."""
SECONDS = {"quick": 4.0, "default": 4.0, "thorough": 20.0}
"""How long what pays is looked for, of the time of a quiet machine."""
_MAY_BE_LESS = regex(
    r"negativ|minus|\bsell|\bsold\b|\bshort\b|\bbelow (?:0|zero)|\breturn(?:ing|ed)? (?:goods|items|them|it)\b|"
    r"\b(?:give|gives|put|puts|take|takes) (?:\w+ )?(?:back|out)\b",
    re.IGNORECASE,
)
"""What prompts and schemas say where less than nothing may be meant."""
_REFUSES = regex(r"\b(?:not|no|cannot|can't|must|only|at least|positive|minimum|refus\w*|than)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Purse:
    """The parameters of a tool that are an amount and the thing it is of, a thing that pays, and what is bought."""

    amount: str
    thing: str
    paying: Any
    bought: tuple[Any, ...]
    less: int

    def turns(self, act: Act, paid_for: bool) -> Turns:
        """As much as can be had of what is bought, after less than nothing of the other or without.

        Some of several things is taken beside gold's own, from little to more, as a call may set their number.
        """
        given = [(self.paying, -self.less)] if paid_for else []
        if len(self.bought) == 1:
            more = [(self.bought[0], number) for number in MORE]
            return [_together(act, self.amount, self.thing, [*given, *more]), *act.end]
        own = {one.get(self.thing): one.get(self.amount) for name, one in act.gold.calls if name == act.name}
        for one in self.bought:
            number = own.get(one)
            given += [(one, each) for each in sorted({*EACH, number if type(number) is int else 1})]
        turns, place = act.gold.turns, len(act.before)
        calls = [*turns[place]["tool_calls"], *_together(act, self.amount, self.thing, given)["tool_calls"]]
        return [*act.before, {**turns[place], "tool_calls": _numbered(calls)}, *turns[place + 1 :]]


def budget_paid_back(subject: Subject, acts: Sequence[Act], amount: str) -> Finding | None:
    """The finding that less than nothing of one thing pays for what is as good as gold, and what money cannot buy."""
    things = [key for key, value in acts[0].arguments.items() if key != amount and type(value) in (str, int)]
    if subject.traits.kind != "tools" or _may_be_less(subject, acts, amount):
        return None
    for thing in things[:MOST_THINGS]:
        if paying := _paying(subject, acts[0], amount, thing):  # few tools take less than nothing: these get more time
            with subject.with_time(SECONDS[subject.effort]):
                if found := _first_paying(subject, acts, _purses(acts, amount, thing, paying)):
                    return found
    return None


def room_by_less(subject: Subject, acts: Sequence[Act], amount: str) -> Finding | None:
    """The finding that less than nothing of what gold does not take makes room for what is refused without it."""
    things = [key for key, value in acts[0].arguments.items() if key != amount and isinstance(value, str)]
    if subject.traits.kind != "tools" or not things or _may_be_less(subject, acts, amount):
        return None

    def extras(act: Act) -> list[Before]:
        own = [given for name, given in act.gold.calls if name == act.name]
        changed = [
            {**given, key: value} for given in [*own, act.arguments] for key in things
            for value in dict.fromkeys(_named(subject, act, key)) if type(value) is str
        ]  # fmt: skip
        taken = [{**given, amount: None} for given in own]
        others = [given for given in changed if {**given, amount: None} not in taken]
        return [([], [act.again(**{**given, amount: -FAR_LESS})]) for given in others]

    return made_room(subject, acts, extras, f"Refuse numbers below 1 for {amount!r}, in the schema (minimum).")


def _first_paying(subject: Subject, acts: Sequence[Act], purses: Iterator[Purse]) -> Finding | None:
    for purse in purses:
        if not _won(subject, acts[:2], purse) or not _won(subject, _too_dear(subject, acts[:TASTED], purse), purse):
            continue
        dear = _too_dear(subject, acts, purse)
        won = _won(subject, dear, purse)
        if len(won) >= max(FEWEST_ROWS, 0.75 * len(dear)):
            return _finding(subject, acts, purse, won)
    return None


def _finding(subject: Subject, acts: Sequence[Act], purse: Purse, won: Sequence[Episode]) -> Finding:
    bought = "all else" if len(purse.bought) > 1 else repr(purse.bought[0])
    what = f"{acts[0].name} with {purse.amount}={-purse.less} of {purse.paying!r}, which pays for more of {bought} "
    hint = f"Refuse numbers below 1 for {purse.amount!r}, in the schema (minimum)."
    return paid(subject, won, len(acts), f"{what}than there is,", hint)


def _purses(acts: Sequence[Act], amount: str, thing: str, paying: Sequence[Any]) -> Iterator[Purse]:
    """Each thing that may pay, for some of all others, and for one of those that gold takes."""
    bought = list(dict.fromkeys(given.get(thing) for act in acts for _, given in act.gold.calls))
    for less, other in product(LESS_FOR_ALL, paying) if len(paying) > 2 else ():
        yield Purse(amount, thing, other, tuple(one for one in paying if one != other), less)
    for one, other, less in product(bought[:MOST_BOUGHT], paying, LESS):
        if one != other and one is not None:
            yield Purse(amount, thing, other, (one,), less)


def _may_be_less(subject: Subject, acts: Sequence[Act], amount: str) -> bool:
    """Whether gold, a schema or a prompt has or allows less than nothing, or the schema refuses it."""
    schema = schema_of(subject.tools, acts[0].name, amount)
    given = [value.get(amount) for act in acts for name, value in act.gold.calls if name == act.name]
    numbers = [value for value in given if isinstance(value, int | float)]
    told = prompt_and_tools(subject, acts[0].gold.row)
    bounded = {"minimum", "exclusiveMinimum", "enum"} & set(schema)
    return bool(bounded) or min(numbers) <= 0 or _MAY_BE_LESS.search(told) is not None


def _paying(subject: Subject, act: Act, amount: str, thing: str) -> list[Any]:
    """The things of which the tool takes less than nothing."""
    right = act.arguments[thing]
    named = [one for one in dict.fromkeys(_named(subject, act, thing)) if type(one) is type(right)][:MOST_NAMED]
    played = played_acts(subject, [(act, [_together(act, amount, thing, [(name, -1) for name in named])])])
    calls = [call for episode in played for call in episode.tool_calls if not call["error"]]
    taken = [call["arguments"][thing] for call in calls if not _is_refusal(str(call["content"]))]
    return taken[:MOST_PAYING]


def _is_refusal(reply: str) -> bool:
    return says_wrong(reply) or _REFUSES.search(reply) is not None


def _named(subject: Subject, act: Act, thing: str) -> Iterator[Any]:
    """What may be bought: values of the schema, of gold, beside gold's in replies, and words of the prompt."""
    yield from schema_of(subject.tools, act.name, thing).get("enum") or ()
    replies = results_of_gold(subject, act.gold.row)
    right = act.arguments[thing]
    yield from listed_beside(right, replies)
    prompt = prompt_text(subject, act.gold.row)
    form = rf"(?<!\w){re.escape(str(right))}(\W+\w+)"
    behind = {re.sub(r"\d+", "0", found[1]) for found in re.finditer(form, prompt)}
    words = list(re.finditer(r"(?=(?<!\w)([^\W\d][\w-]*)(\W+\w+))", prompt))
    yield from (found[1] for found in words if re.sub(r"\d+", "0", found[2]) in behind)  # as in `kite 7 euro`
    yield from known_values(subject).get((act.name, thing), ())


def _together(act: Act, amount: str, thing: str, given: Sequence[tuple[Any, int]]) -> Message:
    """Calls of the tool in one message, with these things and amounts."""
    return called_together(act.again(**{thing: name, amount: number}) for name, number in given)


def _numbered(calls: Sequence[Message]) -> list[Message]:
    return [{**call, "id": f"call_{place}"} for place, call in enumerate(calls)]


def _too_dear(subject: Subject, acts: Sequence[Act], purse: Purse) -> list[Act]:
    """Those of rows on which the money that there is does not buy what is as good as gold."""
    alone = compared_acts(subject, [(act, purse.turns(act, paid_for=False)) for act in acts])
    lost = {one.row_index for one in alone} - {one.row_index for one in won_of(subject, alone)}
    return [act for act in acts if act.gold.row in lost]


def _won(subject: Subject, acts: Sequence[Act], purse: Purse) -> list[Episode]:
    """The episodes that are as good as gold with what was paid back."""
    return won_of(subject, played_acts(subject, [(act, purse.turns(act, paid_for=True)) for act in acts]))
