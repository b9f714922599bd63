"""Whether a call of gold may go the other way: with the opposite direction, or with the other sign of its number."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import won_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import FOR_READERS
from grpo_env_sdk.checking.evidence.prompts.opposites import opposite_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Act,
    as_good_on_most,
    last_acts,
    looking_tools,
    lost_without,
    paid,
    played_acts,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_OF_EACH, MOSTLY = 2, 0.75
"""On how many rows gold goes each way, and on what share of them it says one at all."""
_FREE = regex(
    r"\b(?:any|either|whichever|whatever|both (?:ways|sides|directions)|of your (?:own )?choice|you (?:may|can) choose|"
    r"does not matter|doesn't matter|no matter|absolute|regardless|magnitude)\b",
    re.IGNORECASE,
)
"""What prompts say where both ways are right."""


@check("G677", kinds=("tools",), needs=("gold",))
def the_direction_of_a_call_counts(subject: Subject) -> Iterator[Finding]:
    """Gold's call with the opposite direction, or the other sign, scores less, where gold goes both ways."""
    for name, acts in last_acts(subject).items():
        for parameter in acts[0].arguments if name not in looking_tools(subject) else ():
            turned = [act for act in acts if _turned(act.arguments.get(parameter)) is not None]
            if FOR_READERS.search(parameter) or not _goes_both_ways(turned, parameter, len(acts)):
                continue
            if any(_FREE.search(prompt_text(subject, act.gold.row)) for act in turned):
                continue
            if not _won(subject, turned[:1], parameter):
                continue
            won = _won(subject, turned, parameter)
            if as_good_on_most(subject, won, len(turned)) and lost_without(subject, turned):
                yield _finding(subject, turned[0], parameter, won, len(turned))
                return


def _finding(subject: Subject, act: Act, parameter: str, won: Sequence[Episode], of: int) -> Finding:
    value = act.arguments[parameter]
    found = paid(
        subject, won, of,
        f"A call of {act.name} with {parameter!r} turned about, such as {quoted(_turned(value))} for {quoted(value)},",
        f"Compare {parameter!r} with the direction of the row too, and not only how far it goes.",
    )  # fmt: skip
    said = prompt_text(subject, act.gold.row).casefold()
    sure = not isinstance(value, str) or any(str(one).casefold() in said for one in (value, _turned(value)))
    return found if sure else replace(found, severity="warning")


def _turned(value: object) -> Any:
    """The opposite of a direction, or a number with the other sign; None for others."""
    if isinstance(value, str):
        return opposite_of(value)
    return -value if isinstance(value, int | float) and not isinstance(value, bool) and value else None


def _way(value: Any) -> str:
    """Which way a value goes."""
    return value.casefold() if isinstance(value, str) else "-" if value < 0 else "+"


def _goes_both_ways(acts: Sequence[Act], parameter: str, of: int) -> bool:
    """Whether gold goes both ways on several rows, and no other argument says which on all of them."""
    if len(acts) < max(FEWEST_ROWS, MOSTLY * of) or len({type(act.arguments[parameter]) is str for act in acts}) > 1:
        return False
    ways = [(_way(act.arguments[parameter]), _way(_turned(act.arguments[parameter]))) for act in acts]
    first = ways[0][0]
    both = all(sum(way == one for way, _ in ways) >= FEWEST_OF_EACH for one in ways[0])
    others = [key for key, value in acts[0].arguments.items() if key != parameter and isinstance(value, str | bool)]
    said = any(_tells(acts, key, [way == first for way, _ in ways]) for key in others)
    return both and not (said and not isinstance(acts[0].arguments[parameter], str))


def _tells(acts: Sequence[Act], key: str, ways: Sequence[bool]) -> bool:
    """Whether another argument has one value for each way, such as the kind of a booking beside its sign."""
    values = [str(act.arguments.get(key)) for act in acts]
    return len(set(values)) == len(set(zip(values, ways, strict=True))) == 2


def _won(subject: Subject, acts: Sequence[Act], parameter: str) -> list[Episode]:
    played = played_acts(
        subject, [(act, act.instead(**{parameter: _turned(act.arguments[parameter])})) for act in acts]
    )
    return won_of(subject, played)
