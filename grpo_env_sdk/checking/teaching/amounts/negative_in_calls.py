"""Whether a negative number in a call counts, where the right one is an amount and others far from it do not."""

from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.evidence.golds import won_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Act,
    Turns,
    as_good_on_most,
    compared_acts,
    is_amount,
    last_acts,
    paid,
    played_acts,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.paid_back import REFUSE
from grpo_env_sdk.types import Episode

NEGATIVE, TASTED = (-1, -(10**6)), 4
"""The numbers tried, and on how many rows at first."""


def negative_in_calls(subject: Subject) -> Iterator[Finding]:
    """The finding that gold with a negative number in a call is gold, while twice and half of gold's are not."""
    for name, acts in last_acts(subject).items():
        for parameter in acts[0].arguments:
            own = [act for act in acts if is_amount(act.arguments.get(parameter))]
            if len(own) < max(FEWEST_ROWS, len(acts)):
                continue
            for number in NEGATIVE:
                won = won_of(subject, _played(subject, own[:TASTED], parameter, number))
                if len(won) < TASTED - 1 or not far_off_loses(subject, own, parameter, _instead(parameter)):
                    continue
                won = won_of(subject, played := _played(subject, own, parameter, number))
                if as_good_on_most(subject, won, len(played)):
                    what = f"A call of {name} with {parameter}={number}"
                    yield paid(subject, won, len(played), what, REFUSE.format(parameter))
                    return


def far_off_loses(subject: Subject, acts: Sequence[Act], parameter: str, turns: Callable[[Act, float], Turns]) -> bool:
    """Whether neither twice gold's number nor half of it is gold on any row, as where an error is tolerated."""
    pairs = [(act, turns(act, number)) for act in acts for number in _far_off(act.arguments[parameter])]
    return not won_of(subject, compared_acts(subject, pairs))


def _far_off(number: float) -> tuple[float, float]:
    return (number * 2, number // 2) if type(number) is int else (number * 2, number / 2)


def _instead(parameter: str) -> Callable[[Act, float], Turns]:
    return lambda act, number: act.instead(**{parameter: number})


def _played(subject: Subject, acts: Sequence[Act], parameter: str, number: float) -> list[Episode]:
    return played_acts(subject, [(act, act.instead(**{parameter: number})) for act in acts])
