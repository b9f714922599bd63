"""The best episodes of an environment without gold, which stand in for it: from its rows, or what it compares."""

from collections.abc import Callable
from dataclasses import replace
from math import isfinite

from grpo_env_sdk.checking.evidence.stand_ins.compared_acts import ComparedActs
from grpo_env_sdk.checking.evidence.stand_ins.stand_ins import SECONDS, SLOW, Looking, top_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.types import Episode

ROWS = {"quick": 8, "default": 16, "thorough": 40}
PLAYS = {"quick": 400, "default": 800, "thorough": 8_000}
FRUITLESS = {"quick": 1.0, "default": 1.5, "thorough": 10.0}
"""On how many rows something is looked for, in how many episodes, and the seconds of a quiet machine after which a
search by comparisons ends that has found nothing."""
LEARNED_ON, FEWEST_ROWS = 3, 4
"""After so many rows without anything no more are tried; and on how many rows it is found at least."""


def found_episodes(subject: Subject) -> dict[int, Episode]:
    """By row, the best episode found, which scores the top and more than silence; empty where few rows have one."""
    traits = subject.traits
    only_text = traits.kind == "single-turn" and not subject.tools
    if only_text or subject.episode_seconds > SLOW or not isfinite(traits.reward_range[1]):
        return {}
    looking = Looking(subject, PLAYS[subject.effort], SECONDS[subject.effort])
    with subject.with_time(SECONDS[subject.effort]):
        found = _on_rows(subject, looking.best_of, looking)
    if not found:
        compared = ComparedActs(subject, FRUITLESS[subject.effort], SECONDS[subject.effort])
        with subject.with_time(SECONDS[subject.effort]):
            found = _on_rows(subject, lambda row: compared.best_of(row, top_of(subject, subject.row(row))), compared)
    return found


def _on_rows(
    subject: Subject, best_of: Callable[[int], Episode | None], search: Looking | ComparedActs
) -> dict[int, Episode]:
    """The best episodes of the rows, where the first rows have one and enough do."""
    found: dict[int, Episode] = {}
    for place, row in enumerate(subject.sample(ROWS[subject.effort])):
        if search.over or (place >= LEARNED_ON and not found):
            break
        episode = best_of(row)
        found |= {row: episode} if episode is not None else {}
    return found if len(found) >= min(FEWEST_ROWS, len(subject.rows)) else {}


def with_stand_ins(item: Item) -> Item:
    """An item of a check for which episodes stood in for gold: its findings say so."""
    if not isinstance(item, Finding):
        return item
    return replace(item, message=f"{item.message} (There is no solve: gold is the best episode that was found.)")
