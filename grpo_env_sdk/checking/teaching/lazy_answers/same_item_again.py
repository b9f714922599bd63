"""Whether the same item several times earns the top where a prompt wants different ones, as it is or spelled anew."""

import re
from collections.abc import Iterator, Mapping, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import gold_name, golds, less_than_gold, play_scored, won_of
from grpo_env_sdk.checking.evidence.prompts.asked_items import (
    different_items,
    items_of_answer,
    offered_items,
    written,
)
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.checking.teaching.lazy_answers.one_item_for_another import one_item_for_another
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, LOOKED_AT, FEWEST_ROWS, FEWEST_LETTERS = 10, 2, 3, 3
NONSENSE = "lorem"
_CASE_IS_NOTHING = regex(
    r"\b(?:capitals?|capital letters|upper ?case|lower ?case|case|punctuation|spelling)\b[^.!?\n]{0,40}"
    r"\b(?:not|no|nothing|never|ignor\w*|irrelevant)\b|\b(?:ignor\w+|regardless of|whatever)\b[^.!?\n]{0,30}"
    r"\b(?:capitals?|case|punctuation)\b|\bcase[- ]insensitive\b",
    re.IGNORECASE,
)
_CASE_COUNTS = regex(
    r"\b(?:strings?|pass(?:words?|phrases?)|spellings?|codes?|tokens?|characters?|variants?|hash\w*|case.sensitive)\b",
    re.IGNORECASE,
)
_MARKS = (".", "!", "?", ",", ";", ":", "...", "!!", "??", ".!", "?!")
Answers = Sequence[Sequence[str]]
"""Lists of items, each of which is one answer."""


@check("G680", kinds=("single-turn",))
def different_items_are_different(subject: Subject) -> Iterator[Finding]:
    """Where a prompt wants several different items, one item several times is not right, however it is spelled."""
    rows = (list(golds(subject)) or subject.sample(MOST_ROWS))[:MOST_ROWS]
    if doubled := one_item_for_another(subject, rows):
        yield doubled
        return
    counts = {row: count for row in rows if (count := different_items(prompt_text(subject, row)))}
    if len(counts) < max(FEWEST_ROWS, len(rows) / 2):
        return
    items = {row: _items(subject, row, count) for row, count in counts.items()}
    again = {row: [[item] * counts[row] for item in of_row] for row, of_row in items.items()}
    if won := _winning(subject, again):
        yield _finding(subject, won, len(counts), "The same item several times", "error")
        return
    prompts = [prompt_text(subject, row) for row in counts]
    if any(map(_CASE_COUNTS.search, prompts)):
        return
    spelled = {
        row: [one for item in of_row[:1] for one in _spelled(item, counts[row])] for row, of_row in items.items()
    }
    if won := _winning(subject, spelled):
        is_told = all(map(_CASE_IS_NOTHING.search, prompts))
        what = "One item in several spellings (capitals, marks)"
        yield _finding(subject, won, len(counts), what, "error" if is_told else "warning")


def _items(subject: Subject, row: int, count: int) -> list[str]:
    """The items of gold, and where they are whole numbers their mean; without gold, those that the prompt offers."""
    if (gold := golds(subject).get(row)) is None:
        return offered_items(prompt_text(subject, row))
    items = items_of_answer(gold.text)
    if not len(set(items)) == len(items) == count:
        return []
    if all(re.fullmatch(r"-?\d{1,9}", item) for item in items):
        items.append(str(sum(map(int, items)) // count))
    return list(dict.fromkeys(items))


def _spelled(item: str, count: int) -> Iterator[list[str]]:
    """An item in so many spellings that differ in capitals, in marks behind it, or in both."""
    if sum(map(str.isalpha, item)) < FEWEST_LETTERS:
        return
    cases = list(dict.fromkeys((item, item.upper(), item.lower(), item.title(), item.capitalize(), item.swapcase())))
    marked = [item, *(f"{item}{mark}" for mark in _MARKS)]
    for found in (cases, marked, list(dict.fromkeys([*cases, *marked]))):
        if len(found) >= count:
            yield found[:count]


def _winning(subject: Subject, answers: Mapping[int, Answers]) -> list[Episode]:
    """One episode for each row with an answer as good as gold, if these are most rows; nonsense is not as good."""
    first = _won(subject, dict(list(answers.items())[:LOOKED_AT]))
    won = _won(subject, answers) if first else {}
    if len(won) < max(FEWEST_ROWS, len(answers) / 2):
        return []
    nonsense = _won(subject, {row: [[NONSENSE] * len(answers[row][0])] for row in won})
    return [] if nonsense else list(won.values())


def _won(subject: Subject, answers: Mapping[int, Answers]) -> dict[int, Episode]:
    tried = [(row, written(items, prompt_text(subject, row))) for row, lists in answers.items() for items in lists]
    won: dict[int, Episode] = {}
    for episode in won_of(subject, play_scored(subject, tried)):
        won.setdefault(episode.row_index, episode)
    return won


def _finding(subject: Subject, won: Sequence[Episode], of: int, what: str, severity: Severity) -> Finding:
    first = won[0]
    said = answer_text(first.completion)
    return Finding(
        f"{what} scores as much as {gold_name(subject)} on {len(won)} of {of} rows, although the prompt wants "
        f"different ones: {answer_shown(said)} scores {first.reward:g}.",
        "Compare the items with each other before you score them: bring them into one form (case, marks and spaces "
        "taken away), and refuse an answer whose set of items is smaller than its list.",
        first.row_index, said, first.reward, less_than_gold(subject, first),
        severity=severity,
    )  # fmt: skip
