"""Whether prompts that can be read in two ways tell which one gold was written by."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.second_opinion import (
    ALL,
    AskedRow,
    asked_rows,
    is_ruled_out,
    whole_pairs,
    words_of,
)
from grpo_env_sdk.checking.evidence.attempts.worked_numbers import NUMBER, fraction_of
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.prompts.opinions import OPINIONS
from grpo_env_sdk.checking.evidence.prompts.second_opinions import Opinion, instead
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding

FEWEST_OF_EACH, SOME, MOST_PLAYED = 5, 0.15, 6
"""On how many rows, and on which share of them, gold has each reading at least; how many of each are tried."""
TOLD = 0.85
"""The share of rows from which on a number tells the reading, and of prompts that have no word which may tell it."""


@check("C164", needs=("gold",), kinds=("single-turn", "tools"))
def prompts_tell_which_reading_is_meant(subject: Subject) -> Iterator[Finding]:
    """Where a question may be read in two ways, such as 03/04/2021, its prompt tells which one gold has."""
    pairs = whole_pairs(subject)
    for opinion in OPINIONS:
        if opinion.alike and (opinion.with_tools or subject.traits.kind == "single-turn"):
            rows = asked_rows(opinion, pairs)
            for both in combinations(dict.fromkeys(name for one in rows for name in one.readings), 2):
                sides = _sides(opinion, rows, both)
                if sides and not _is_told(sides) and (finding := _proven(subject, opinion, both, sides)):
                    yield finding
                    return


def _sides(opinion: Opinion, rows: Sequence[AskedRow], both: tuple[str, str]) -> tuple[list[AskedRow], ...] | None:
    """The rows whose gold has the first and the second of two readings, where nearly all have one of them alone."""
    open_ = [
        one for one in rows
        if all(name in one.readings and not is_ruled_out(opinion, name, one.prompt) for name in both)
        and one.readings[both[0]] != one.readings[both[1]]
    ]  # fmt: skip
    sides = tuple([one for one in open_ if one.agrees(name)] for name in both)
    fewest = max(FEWEST_OF_EACH, SOME * len(open_))
    return sides if min(map(len, sides)) >= fewest and sum(map(len, sides)) >= ALL * len(open_) else None


def _is_told(sides: tuple[list[AskedRow], ...]) -> bool:
    """Whether some prompts have a word that only those of one side have, or a number is smaller on one side."""
    held = [[_marks(one.prompt) for one in side] for side in sides]
    both = set().union(*held[0]) & set().union(*held[1])
    untold = [sum(marks <= both for marks in side) for side in held]
    return any(few < TOLD * len(side) for few, side in zip(untold, sides, strict=True)) or _is_told_by_numbers(sides)


def _marks(prompt: str) -> set[str]:
    """The words of a prompt, and the shapes of what has digits in it."""
    return words_of(prompt) | {re.sub(r"\d", "0", text) for text in re.findall(r"\S*\d\S*", prompt)}


def _is_told_by_numbers(sides: tuple[list[AskedRow], ...]) -> bool:
    """Whether a bound on one of the numbers of the prompts parts the sides."""
    numbers = [[[fraction_of(text, False) for text in NUMBER.findall(one.prompt)] for one in side] for side in sides]
    for place in range(min(len(found) for side in numbers for found in side)):
        first, second = ([found[place] for found in side] for side in numbers)
        for bound in {*first, *second}:
            right = sum(value <= bound for value in first) + sum(value > bound for value in second)
            if not (1 - TOLD) * len(first + second) < right < TOLD * len(first + second):
                return True
    return False


def _proven(
    subject: Subject, opinion: Opinion, both: tuple[str, str], sides: tuple[list[AskedRow], ...]
) -> Finding | None:
    """The finding, where the other reading is refused on both sides."""
    known = golds(subject)
    tried = [
        (one, text) for side, name in zip(sides, both[::-1], strict=True) for one in side[:MOST_PLAYED]
        if (text := instead(known[one.row].text, one.readings[name]))
    ]  # fmt: skip
    episodes = play_answers(subject, [(one.row, [*known[one.row].turns[:-1], text]) for one, text in tried])
    if len(episodes) < 2 * FEWEST_OF_EACH or not all(loses_half(subject, episode) for episode in episodes):
        return None
    (one, text), gold = tried[0], known[tried[0][0].row]
    return Finding(
        f"Prompts that ask for {opinion.name} have gold by two readings, and none tells which: {both[0]} on "
        f"{len(sides[0])} rows, {both[1]} on {len(sides[1])}; {quoted(text)} scores {episodes[0].reward:g}, and gold "
        f"is {quoted(gold.text)}.",
        "Put into the prompt what tells the readings apart, or accept both.",
        one.row, one.prompt[-600:], episodes[0].reward, gold.reward,
    )  # fmt: skip
