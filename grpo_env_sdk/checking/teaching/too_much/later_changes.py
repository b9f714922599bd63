"""Whether gold that is changed again afterwards, so that what was right is wrong in the end, is still right."""

import re
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import schema_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    Act,
    Turns,
    as_good_on_most,
    carried_out,
    compared_acts,
    cut_off,
    last_acts,
    paid,
    played_acts,
)
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

TASTED, OTHERS = 4, 3
"""On how many rows it is tried at first, and with how many other values."""
_SETS = regex(
    r"(?:set|update|change|edit|assign|turn|switch|adjust|configure|reschedule|schedule|write|save|put)(?:_|$)"
)
"""The names of tools whose last call decides how things stand."""
_FIRST = regex(r"\bfirst\b[^.]{0,40}\bcounts?\b|\bonly once\b|\bcannot be (?:changed|undone)\b", re.IGNORECASE)


@check("G564", kinds=("tools", "multi-turn"), needs=("calls", "acts"))
def what_is_changed_again_is_not_gold(subject: Subject) -> Iterator[Finding]:
    """Gold whose last setting is set to another value afterwards scores less: the last value counts."""
    for name, acts in last_acts(subject).items():
        said = prompt_and_tools(subject, acts[0].gold.row)
        if not _SETS.match(name) or len(acts[0].arguments) < 2 or _FIRST.search(said):
            continue
        parameter = list(acts[0].arguments)[-1]
        for place in range(OTHERS):  # some are refused
            values = [(act, value) for act in acts for value in _others(subject, act, parameter)[place : place + 1]]
            tried = [(act, act.after_gold(**{parameter: value})) for act, value in values]
            won = _won(subject, tried) if _won(subject, tried[:TASTED]) else []
            at_once = [(act, act.instead(**{parameter: value})) for act, value in values] if won else []
            right = {one.row_index for one in won_of(subject, compared_acts(subject, at_once))}  # several values may be
            won = [one for one in won if one.row_index not in right]
            if as_good_on_most(subject, won, len(tried) - len(right)):
                what = f"Gold whose {parameter!r} is changed by {name} to another value afterwards"
                hint = "Score what is set at the end, and not that the right call was made at some time."
                yield paid(subject, won, len(tried) - len(right), what, hint)
                return


def _others(subject: Subject, act: Act, parameter: str) -> list[Any]:
    """Other values than gold's, of other rows or of the schema."""
    right = act.arguments.get(parameter)
    listed = schema_of(subject.tools, act.name, parameter).get("enum") or ()
    known = [*known_values(subject).get((act.name, parameter), ()), *listed, not right]
    return [value for value in known if type(value) is type(right) and value != right]


def _won(subject: Subject, tried: list[tuple[Act, Turns]]) -> list[Episode]:
    """Those that are as good as gold although the last call was carried out."""
    played = [one for one in won_of(subject, played_acts(subject, tried)) if not cut_off(one)]
    return [one for one in played if one.tool_calls and carried_out(subject, one.tool_calls[-1])]
