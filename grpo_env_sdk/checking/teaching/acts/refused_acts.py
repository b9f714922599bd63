"""Whether an act that a tool refuses counts as done."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.corruption import wrong_value
from grpo_env_sdk.checking.evidence.golds import gold_episodes, won_of
from grpo_env_sdk.checking.evidence.playing.turns import calls_in, functions_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Act,
    Turns,
    as_good_on_most,
    carried_out,
    compared_acts,
    last_acts,
    looking_tools,
    paid,
    played_acts,
)
from grpo_env_sdk.checking.evidence.tool_use.calls import REFUSED
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.acts.refused_on_the_way import REFUSAL, refused_on_the_way
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, LONGEST = 4, 300
"""On how many rows a spoilt call is tried first, and how long a refusal may be."""
_NO = regex(
    r"\"(?:ok|success|valid|verified|accepted|matche?s?|approved|authori[sz]ed)\": ?false|"
    r"\b(?:do(?:es)?|did|is|are|was|has|have|can|could) ?not\b|\b\w+n't\b|\bno (?:match|longer)\b|"
    r"\b(?:refused|rejected|declined|forbidden|unknown)\b",
    re.IGNORECASE,
)
"""What else the reply to a refused call says, where the reply to gold's does not."""


@check("G563", kinds=("tools", "multi-turn"), needs=("calls", "acts"))
def refused_acts_do_not_count(subject: Subject) -> Iterator[Finding]:
    """A call of gold that its tool refuses, as it is spoilt or too early, does not count as done."""
    looking = looking_tools(subject)
    for name, acts in last_acts(subject).items():
        answered = [
            act for act in acts if name not in looking and not _refused(gold_episodes(subject)[act.gold.row], act)
        ]
        ways = chain(_spoilt_acts(answered), _early_acts(answered)) if len(answered) >= FEWEST_ROWS else ()
        for spoilt in ways:
            if not _counted(subject, spoilt[:TASTED]):
                continue
            won = _counted(subject, spoilt)
            without = won_of(subject, compared_acts(subject, [(one.act, _rest(one.act)) for one in spoilt]))
            if as_good_on_most(subject, won, len(spoilt)) and 3 * len(without) <= len(spoilt):
                one = next(one for one in spoilt if one.act.gold.row == won[0].row_index)
                reply = won[0].tool_calls[one.place]
                without_it = f" without {one.left_out} before it" if one.left_out else ""
                yield paid(
                    subject, won, len(spoilt),
                    f"A call of {name}{without_it} that is refused ({str(reply['content'])[:80]!r})",
                    "Refuse first, and change what the scorer looks at only afterwards: read what was done, and not "
                    "what was asked for.",
                )  # fmt: skip
                return
    yield from refused_on_the_way(subject)


@dataclass(frozen=True, slots=True)
class Refusable:
    """Gold's turns with a call that may be refused: its act, the place among all calls, and the tool left out."""

    act: Act
    turns: Turns
    place: int
    left_out: str = ""


def _spoilt_acts(acts: Sequence[Act]) -> Iterator[list[Refusable]]:
    """Gold with another value in the call, by parameter."""
    for parameter in acts[0].arguments:
        having = [act for act in acts if parameter in act.arguments]
        yield [Refusable(act, _spoilt(act, parameter), calls_in(act.before)) for act in having]


def _early_acts(acts: Sequence[Act]) -> Iterator[list[Refusable]]:
    """Gold without the calls of another tool before this one, by tool."""
    names = dict.fromkeys(name for act in acts for turn in act.before for name in _names(turn))
    for left_out in [name for name in names if name != acts[0].name]:
        having = [act for act in acts if any(left_out in _names(turn) for turn in act.before)]
        yield [_early(act, [turn for turn in act.before if _names(turn) != {left_out}], left_out) for act in having]


def _early(act: Act, before: Turns, left_out: str) -> Refusable:
    turns = [*before, *act.gold.turns[len(act.before) :]]
    return Refusable(act, turns if act.gold.text else [*turns, *act.end], calls_in(before), left_out)


def _names(turn: Message) -> set[str]:
    return {function["name"] for function in functions_of([turn])}


def _spoilt(act: Act, parameter: str) -> Turns:
    """Gold with another value in this call."""
    return [
        *act.before,
        act.again(**{parameter: wrong_value(act.arguments[parameter])}),
        *_rest(act)[len(act.before) :],
    ]


def _rest(act: Act) -> Turns:
    """Gold without this call: what came before it, and the words at the end."""
    return [*act.before, *(act.after or act.end)]


def _counted(subject: Subject, spoilt: Sequence[Refusable]) -> list[Episode]:
    """The episodes in which the spoilt call was refused, and that are as good as gold."""
    places = {one.act.gold.row: one.place for one in spoilt}
    won = won_of(subject, played_acts(subject, [(one.act, one.turns) for one in spoilt]))
    if not spoilt[0].left_out:
        return [one for one in won if _is_refused(one, places[one.row_index])]
    calls = {one.row_index: one.tool_calls[places[one.row_index] :] for one in won}
    return [one for one in won if calls[one.row_index] and _is_too_early(subject, calls[one.row_index][0])]


def _is_too_early(subject: Subject, call: Mapping[str, Any]) -> bool:
    """Whether a reply refuses the call outright, in other words than those in which its tool replies to gold."""
    said = without_echo(str(call["content"]), call["arguments"])
    refuses = call["error"] not in REFUSED and (call["error"] or (len(said) <= LONGEST and REFUSAL.search(said)))
    return bool(refuses) and not carried_out(subject, call)


def _refused(episode: Episode, act: Act) -> bool:
    """Whether the call in the place of this act was refused by the tool itself."""
    return _is_refused(episode, calls_in(act.before))


def _is_refused(episode: Episode, place: int) -> bool:
    return len(episode.tool_calls) > place and _says_no(episode.tool_calls[place])


def _says_no(call: Mapping[str, Any]) -> bool:
    if call["error"] in REFUSED:
        return False
    said = without_echo(str(call["content"]), call["arguments"])
    return bool(call["error"]) or (len(said) <= LONGEST and (SAYS_WRONG.search(said) or _NO.search(said)) is not None)
