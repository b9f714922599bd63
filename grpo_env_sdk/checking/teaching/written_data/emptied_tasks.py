"""Whether what a row asks for can be emptied with a tool that gold uses, after which nothing has to be done."""

from collections.abc import Iterator, Sequence
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import won_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Act,
    Turns,
    as_good_on_most,
    compared_acts,
    last_acts,
    looking_tools,
    paid,
    played_acts,
)
from grpo_env_sdk.checking.findings.finding import Finding

TASTED, MOST_KEYS = 4, 6
"""On how many rows it is tried at first, and how many things are emptied on a row."""


@check("G687", kinds=("tools",), needs=("acts",))
def emptied_tasks_are_not_gold(subject: Subject) -> Iterator[Finding]:
    """Writing nothing in place of what a tool of gold writes, for all that gold names, and stopping there loses."""
    looking = looking_tools(subject)
    for name, acts in last_acts(subject).items():
        for parameter, value in acts[0].arguments.items():
            if name in looking or not isinstance(value, list | dict) or len(acts) < FEWEST_ROWS:
                continue
            if found := _emptied(subject, [act for act in acts if act.arguments.get(parameter)], parameter):
                yield found
                return


def _emptied(subject: Subject, acts: Sequence[Act], parameter: str) -> Finding | None:
    """The finding that empty values alone are gold, where nothing at all is not, and gold does more than to write."""
    tried = [(act, calls) for act in acts if _does_more(act) and (calls := _empty_calls(act, parameter))]
    if len(tried) < FEWEST_ROWS or not won_of(subject, played_acts(subject, _ended(tried[:TASTED]))):
        return None
    won = won_of(subject, played := played_acts(subject, _ended(tried)))
    if not as_good_on_most(subject, won, len(played)):
        return None
    if won_of(subject, compared_acts(subject, [(act, act.end) for act, _ in tried])):
        return None
    name = acts[0].name
    return paid(
        subject, won, len(played), f"Calling {name} with an empty {parameter!r} for all that gold names, and no more,",
        "Compare what was done with the row, or with what was asked for, and not with what a tool may rewrite.",
    )  # fmt: skip


def _does_more(act: Act) -> bool:
    """Whether gold calls other tools after this one."""
    return any(name != act.name for name, _ in act.gold.calls)


def _empty_calls(act: Act, parameter: str) -> Turns:
    """The call with nothing in it, once for each value that gold gives to its other parameter in any call."""
    others = [key for key in act.arguments if key != parameter]
    empty = type(act.arguments[parameter])()
    if len(others) != 1:
        return [act.again(**{parameter: empty})] if not others else []
    values: list[Any] = [given[others[0]] for _, given in act.gold.calls if others[0] in given]
    keys = [value for place, value in enumerate(values) if value not in values[:place]]
    return [act.again(**{others[0]: key, parameter: empty}) for key in keys[:MOST_KEYS]]


def _ended(tried: Sequence[tuple[Act, Turns]]) -> list[tuple[Act, Turns]]:
    return [(act, [*calls, *act.end]) for act, calls in tried]
