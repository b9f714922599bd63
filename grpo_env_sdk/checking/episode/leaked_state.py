"""Whether work that is left out is paid all the same, because an episode before did it."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.answers import Said
from grpo_env_sdk.checking.evidence.golds import NEARLY
from grpo_env_sdk.checking.evidence.omissions import Omission, omissions
from grpo_env_sdk.checking.evidence.other_process import play_elsewhere
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.trajectory import course_of, first_difference
from grpo_env_sdk.checking.evidence.unsteady import unsteady
from grpo_env_sdk.checking.findings.finding import Finding

MANY = {"quick": 10, "default": 30, "thorough": 200}
MOST_PROCESSES = 3
"""Each plays what leaves out one tool, so that nothing in it has called that tool."""
_IN_A_PROCESS = 4


@check("E307", kinds=("tools",), needs=("gold",), share=2)
def an_episode_does_its_own_work(subject: Subject) -> Iterator[Finding]:
    """Work that an episode leaves out is not paid because an episode before it did that work."""
    found = next(chain(_on_one_instance(subject), _in_one_process(subject)), None)
    if found and not unsteady(subject):  # that is told by another check
        yield found


def _on_one_instance(subject: Subject) -> Iterator[Finding]:
    """Gold, a reset, and then gold of the same row with calls left out."""
    if subject.traits.instances != "constructed":
        return
    left_out = [
        item for made in omissions(subject).values() for item in made if not item.paid and not item.episode.error
    ]
    for item in left_out[:: max(1, len(left_out) // MANY[subject.effort])]:
        if not subject.time_left:
            return
        said, gold = _said(item), Said(item.gold.row_index, "gold", item.gold.completion)
        fresh = course_of(subject, said)
        parted = first_difference(fresh, course_of(subject, said, gold))
        if parted and first_difference(fresh, course_of(subject, said)) is None:
            where, usual, came = parted
            message = f"{where} differs from that of a new instance, once gold was played and the instance was reset."
            yield _finding(item, f"{_name(item)}: {message}", came, usual)


def _in_one_process(subject: Subject) -> Iterator[Finding]:
    """What is paid here, where gold has been played, in a process where it has not."""
    paid = [[item for item in made if item.paid] for made in omissions(subject).values()]
    for items in islice(filter(None, paid), MOST_PROCESSES):
        if not subject.time_left:
            return
        there = play_elsewhere(subject, [_said(item) for item in items[:_IN_A_PROCESS]]) or []
        for item, (_, episode) in zip(items, there, strict=False):
            here, alone = item.episode.reward, episode.reward
            if here is not None and alone is not None and alone < here - NEARLY:
                message = f"is worth {here:g} where gold was played before, and {alone:g} in a process of its own."
                yield _finding(item, f"{_name(item)} {message}", here, alone)


def _name(item: Omission) -> str:
    return f"Gold of row {item.gold.row_index} without its calls{item.tool and f' of {item.tool}'}"


def _said(item: Omission) -> Said:
    return Said(item.gold.row_index, "gold with calls left out", item.episode.completion or "")


def _finding(item: Omission, message: str, output: Any, expected: Any) -> Finding:
    hint = "Make it anew in setup or reset: what a class, a module or a default argument keeps outlives its episode."
    return Finding(message, hint, item.gold.row_index, item.episode.completion, output, expected)
