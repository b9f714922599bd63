"""Whether gold is the best there is where its prompt asks for the fewest values that add up to an amount."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

_FEWEST = regex(
    r"\b(?:fewest|as few \w+ as|(?:smallest|least|minimum|minimal|lowest) (?:possible )?number of|wenigsten|"
    r"so wenige?|le moins de|menor número de)\b",
    re.IGNORECASE,
)
_OWN_RULES = regex(
    r"\b(?:at most|no more than|up to|at least (?:one|two|three|\d+)|different|distinct|(?:largest|biggest|highest) "
    r"(?:\w+ )?first|greed\w*|always|consecutive|adjacent|neighbou?r\w*|next to|except|unless|must(?:n't)?)\b",
    re.IGNORECASE,
)
"""What prompts say where not every list that adds up is allowed."""
_NUMBER = regex(r"(?<![\w.,])\d{1,5}(?![\w]|[.,]\d)")
_LIST = regex(r"\d+(?:(?: ?[,;+\n] ?| and | )\d+)*")
FEWEST_ROWS, FEWEST_BETTER, MOST_PLAYED, LARGEST, MOST_VALUES = 6, 2, 6, 5_000, 12


@dataclass(frozen=True, slots=True)
class _Row:
    """A gold list of values, and what it was chosen from."""

    gold: Gold
    listed: str
    chosen: list[int]
    values: list[int]
    amount: int


@check("C168", needs=("gold",), kinds=("single-turn",))
def gold_is_the_fewest(subject: Subject) -> Iterator[Finding]:
    """Where the fewest values that add up to an amount are asked for, there is no shorter list than gold."""
    known = [gold for row, gold in golds(subject).items() if _FEWEST.search(prompt_text(subject, row))]
    if len(known) < max(FEWEST_ROWS, len(golds(subject))) or _OWN_RULES.search(prompt_text(subject, known[0].row)):
        return
    for values, amount in _columns(subject, known[0].row):
        rows = [one for gold in known if (one := _read(subject, gold, values, amount))]
        if len(rows) < len(known):
            continue
        often = any(Counter(one.chosen) - Counter(one.values) for one in rows)
        better = [(one, best) for one in rows if len(best := _fewest(one, often)) < len(one.chosen)]
        tried = better[:MOST_PLAYED]
        episodes = play_answers(subject, [(one.gold.row, _instead(one, best)) for one, best in tried])
        if len(better) < FEWEST_BETTER or len(episodes) < len(tried):
            return
        if all(loses_half(subject, episode) for episode in episodes):
            one, best = better[0]
            yield Finding(
                f"Gold is not the fewest on {len(better)} of {len(rows)} rows: {one.amount} is {quoted(one.listed)} "
                f"there, and the shorter {quoted(_instead(one, best))} scores {episodes[0].reward:g}.",
                "Search all ways, as with a table of the fewest for each smaller amount: taking the largest value "
                "first does not always give the fewest.",
                one.gold.row, _instead(one, best), episodes[0].reward, one.gold.reward,
                severity="error" if all(len(row.chosen) == _greedy(row, often) for row in rows) else "warning",
            )  # fmt: skip
        return


def _columns(subject: Subject, row: int) -> Iterator[tuple[str, str]]:
    """Each pair of a column with a list of whole numbers and one with a whole number."""
    held = subject.row(row)
    lists = [name for name, value in held.items() if isinstance(value, list) and _whole(value)]
    numbers = [name for name, value in held.items() if _whole([value]) and name != "case_idx"]
    yield from ((one, other) for one in lists for other in numbers)


def _whole(values: Sequence[object]) -> bool:
    return bool(values) and all(type(value) is int and 0 < value <= LARGEST for value in values)


def _read(subject: Subject, gold: Gold, values: str, amount: str) -> _Row | None:
    """A row whose prompt shows the values and the amount, and whose gold is some of the values that add up to it."""
    held: Mapping[str, object] = subject.row(gold.row)
    given, whole = held.get(values), held.get(amount)
    shown = set(map(int, _NUMBER.findall(prompt_text(subject, gold.row))))
    listed = _LIST.findall(gold.text)
    if not isinstance(given, list) or not isinstance(whole, int) or not _whole([*given, whole]) or len(listed) != 1:
        return None
    chosen = list(map(int, re.findall(r"\d+", listed[0])))
    fits = set(chosen) <= set(given) and sum(chosen) == whole and {*given, whole} <= shown
    return _Row(gold, listed[0], chosen, given, whole) if fits and len(given) <= MOST_VALUES else None


def _fewest(one: _Row, often: bool) -> list[int]:
    """The fewest of the values that add up to the amount, each as often as it is listed, or as often as is needed."""
    best: dict[int, list[int]] = {0: []}
    for value in sorted(one.values, reverse=True):
        sums = range(value, one.amount + 1) if often else range(one.amount, value - 1, -1)
        for whole in sums:
            before = best.get(whole - value)
            if before is not None and len(before) + 1 < len(best.get(whole, [0] * (one.amount + 1))):
                best[whole] = [*before, value]
    return best.get(one.amount, one.chosen)


def _greedy(one: _Row, often: bool) -> int:
    """How many values there are where the largest one that fits is taken again and again."""
    left, count = one.amount, 0
    for value in sorted(one.values, reverse=True):
        times = left // value if often else int(value <= left)
        left, count = left - times * value, count + times
    return count


def _instead(one: _Row, best: Sequence[int]) -> str:
    """Gold with another list, written as its own."""
    between = re.search(r"\D+", one.listed)
    return one.gold.text.replace(one.listed, (between[0] if between else ", ").join(map(str, best)))
