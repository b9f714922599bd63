"""Whether the right answer 0 is taken for an answer that is missing."""

import re
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.gold.gold_source import in_asked_forms
from grpo_env_sdk.checking.evidence.gold.spellings import Spelling
from grpo_env_sdk.checking.evidence.golds import NEARLY, best_possible, play_compared, reward_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

_INSTEAD = (
    "",
    "none",
    "None",
    "no",
    "nothing",
    "nobody",
    "unknown",
    "n/a",
    "null",
    "never",
    "zero",
    "impossible",
    "-1",
)
"""What may be the right answer where 0 means that there is nothing."""
_MAY_BE_NONE = regex(
    r"\b(?:none|nothing(?! else)|zero|unknown|cannot|can't|otherwise|impossible|unless|n/a|null|missing|answerable|"
    r"unanswerable|insufficient|instead)\b",
    re.IGNORECASE,
)
_QUOTED = regex(r"[\"'`“]([^\"'`“”\n]{1,40})[\"'`”]")
FEWEST_OTHERS, FEWEST_VALUES, MOST_TRIED, MOST_READ = 6, 4, 8, 200
"""On how many rows another number is right, how many different ones, and how many rows are tried of each and read."""


@check("G683", kinds=("single-turn",))
def the_right_answer_zero_is_accepted(subject: Subject) -> Iterator[Finding]:
    """Where the number of a column is the right answer, 0 is one too."""
    if subject.traits.solvable:
        return  # gold says whether it is accepted
    rows = subject.sample(MOST_READ)
    for name, value in subject.row(rows[0]).items():
        if name == "case_idx" or not _is_number(value):
            continue
        values = {row: held for row in rows if _is_number(held := subject.row(row).get(name))}
        zeros = [row for row, held in values.items() if held == 0 and best_possible(subject, row) > 0][:MOST_TRIED]
        others = [row for row, held in values.items() if held != 0][:MOST_TRIED]
        few = len(others) < FEWEST_OTHERS or len({values[row] for row in others}) < FEWEST_VALUES
        if not zeros or few or any(_MAY_BE_NONE.search(prompt_text(subject, row)) for row in zeros):
            continue
        form = _form_of(subject, others, values)
        if form and _are_won(subject, [(row, form.write(values[row])) for row in zeros]) == [False] * len(zeros):
            instead = {*_INSTEAD, *(text for row in zeros for text in _QUOTED.findall(prompt_text(subject, row)))}
            if any(_are_won(subject, [(zeros[0], one.write(text)) for text in instead for one in {form, Spelling()}])):
                continue
            yield Finding(
                f"The right answer 0 loses: the number of the column {name!r} is the right answer on all of "
                f"{len(others)} other rows tried, and on none of {len(zeros)} rows where it is 0, such as "
                f"{quoted(form.write(values[zeros[0]]))}.",
                "Compare with None to find out whether there is an answer or a value: `if not value` is true of 0 too.",
                zeros[0], form.write(values[zeros[0]]), 0.0, "the reward of a right answer",
                severity="error" if min(values.values()) < 0 < max(values.values()) else "warning",
            )  # fmt: skip
            return


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _form_of(subject: Subject, rows: Sequence[int], values: dict[int, float]) -> Spelling | None:
    """How a number is written that scores on all rows but where it is another row's; None where it does not."""
    first = rows[0]
    forms = in_asked_forms(subject, first, values[first])
    form = next((one for one in forms if any(_are_won(subject, [(first, one.write(values[first]))]))), None)
    if form is None or _are_won(subject, [(row, form.write(values[row])) for row in rows]) != [True] * len(rows):
        return None
    turned = zip(rows, [*rows[1:], first], strict=True)
    others = [(row, form.write(values[other])) for row, other in turned if values[row] != values[other]]
    return None if any(_are_won(subject, others)) else form


def _are_won(subject: Subject, answers: Sequence[tuple[int, str]]) -> list[bool]:
    """Of each answer that is scored, whether it earns more than half of what there is."""
    low, top = subject.traits.reward_range
    middle = (max(low, 0.0) + top) / 2
    return [reward_of(one) > middle + NEARLY for one in play_compared(subject, answers)]
