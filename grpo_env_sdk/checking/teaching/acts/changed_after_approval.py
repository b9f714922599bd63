"""Whether what a tool approves, confirms or checks can be changed afterwards, and still counts as approved."""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Turns,
    acts_of,
    as_good_on_most,
    compared_turns,
    is_amount,
    paid,
    played_turns,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex

TASTED, SMALL = 4, 1
"""On how many rows it is tried at first, and the number that is approved in place of gold's."""
_CHANGES = regex(r"(?:edit|update|change|set|amend|modify|correct|revise|adjust|raise|increase)(?:_|$)", re.IGNORECASE)


@check("G688", kinds=("tools",), needs=("gold", "calls"))
def approvals_end_with_a_change(subject: Subject) -> Iterator[Finding]:
    """Gold with a tiny number, without the calls that support it, and its own number set at the end, loses."""
    known = some_golds(subject)
    used = {name for gold in known for name, _ in gold.calls}
    for tool in subject.tools:
        if name_of(tool) in used or not _CHANGES.match(name_of(tool)):
            continue
        for left_out in sorted(used):
            if found := _changed_at_the_end(subject, known, tool, left_out):
                yield found
                return


def _changed_at_the_end(
    subject: Subject, known: Sequence[Gold], tool: Mapping[str, Any], left_out: str
) -> Finding | None:
    """The finding that gold's number may be set before its last call, where gold without a tool loses."""
    ways = {gold.row: way for gold in known if (way := _way(gold, tool, left_out))}
    some = dict(list(ways.items())[:TASTED])
    if len(ways) < FEWEST_ROWS or len(won_of(subject, played_turns(subject, some))) < TASTED - 1:
        return None
    without = {gold.row: _without(gold, left_out) for gold in known if gold.row in ways}
    if won_of(subject, compared_turns(subject, without)):
        return None
    won = won_of(subject, played := played_turns(subject, ways))
    if not as_good_on_most(subject, won, len(played)):
        return None
    return paid(
        subject, won, len(played),
        f"Gold without {left_out}, with {SMALL} at first and its own number set by {name_of(tool)} at the end,",
        f"Take back what was approved or checked when {name_of(tool)} changes it, or check again before the last act.",
    )  # fmt: skip


def _way(gold: Gold, tool: Mapping[str, Any], left_out: str) -> Turns:
    """Gold with a small number in its first call that has one, no calls of one tool, and the number set at the end."""
    turns = deepcopy(_without(gold, left_out))
    calling = [place for place, turn in enumerate(turns) if turn.get("tool_calls")]
    first = next((one for turn in turns for one in functions_of([turn]) for _ in _amounts(one, tool)), None)
    if first is None or len(calling) < 3 or first["name"] == left_out:
        return []
    name, value = next(_amounts(first, tool))
    first["arguments"][name] = SMALL
    given = {key: one for _, arguments in gold.calls for key, one in arguments.items()} | {name: value}
    if not set(required_of(tool)) <= given.keys():
        return []
    change = call_message(name_of(tool), **{key: given[key] for key in required_of(tool)})
    return [*turns[: calling[-1]], change, *turns[calling[-1] :]]


def _amounts(function: Mapping[str, Any], tool: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The numbers of a call that another tool can change."""
    given = function["arguments"]
    for name in required_of(tool) if isinstance(given, dict) else ():
        if is_amount(given.get(name)) and given[name] > SMALL:
            yield name, given[name]


def _without(gold: Gold, left_out: str) -> Turns:
    """Gold's acts without the calls of one tool."""
    return [turn for turn in acts_of(gold) if all(one["name"] != left_out for one in functions_of([turn]))]
