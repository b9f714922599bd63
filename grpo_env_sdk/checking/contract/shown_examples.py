"""Whether the examples of some prompts have what is asked among them, with its answer."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.own_examples import told_on
from grpo_env_sdk.checking.contract.short_examples import short_cases
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import Pairs, as_a_part, pairs_of
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding

FEWEST_ROWS, FEWEST_SHOWN = 8, 2
SOME, MOST, LOOKED_UP = 0.1, 0.9, 0.2
"""The share of rows from which it is an error; from which reading it there may be the task; and of other rows whose
item is among the lines as well, so that these are what the task is about."""
_MARKS = (
    r"\s*(?:->|=>|→|⇒|—)\s*",
    r"\s*=\s*",
    r"\s*:\s+",
    r"\s*\|\s*",
    r"\t+",
    r"\s+(?:is|are|ist|est|es)\s+",
    r"\s+-\s+",
)
"""What is between an item and its answer in a line."""


@check("C145", needs=("gold",), kinds=("single-turn",))
def examples_leave_out_what_is_asked(subject: Subject) -> Iterator[Finding]:
    """Lines of a prompt that show an item with its answer are not about the item that it asks for."""
    pairs = pairs_of(subject) if len(subject.rows.indices) >= FEWEST_ROWS else []
    again = {row: list(_shown_again(prompt)) for row, prompt, _ in pairs}
    shown = [
        (row, prompt, answer, line)
        for row, prompt, answer in pairs
        for line, value in again[row][:1]
        if value == answer
    ]
    if not shown or len(shown) > MOST * len(pairs):
        yield from _own_cases(subject, pairs)
        return
    told = {row for row, *_ in shown}
    others = [(row, answer) for row, _, answer in pairs if row not in told]
    looked_up = sum(bool(again[row]) for row, _ in others)
    varied = len({answer for _, answer in others}) > 1 and len({answer for _, _, answer, _ in shown}) > 1
    if FEWEST_SHOWN <= len(shown) <= MOST * len(pairs) and varied and looked_up <= LOOKED_UP * len(others):
        row, prompt, answer, line = shown[0]
        yield Finding(
            f"{len(shown)} of {len(pairs)} prompts have what they ask among their examples, with its answer: "
            f"{quoted(line)} in row {row}.",
            "Take the item of the row out before its examples are drawn.",
            row, input=prompt[-600:], output=answer,
            severity="error" if len(shown) >= SOME * len(pairs) else "warning",
        )  # fmt: skip


def _own_cases(subject: Subject, pairs: Pairs) -> Iterator[Finding]:
    """The finding that examples hold the case of their own prompt, which is no task of looking it up."""
    told = told_on(subject, pairs) or [found[:4] for found in short_cases(pairs)]
    if len(told) >= max(FEWEST_SHOWN, SOME * len(pairs)) and len({answer for _, _, answer, _ in told}) > 1:
        row, prompt, answer, example = told[0]
        yield Finding(
            f"{len(told)} of {len(pairs)} prompts have their own case among the examples, with its answer: "
            f"{quoted(example, 120)} in row {row}, whose gold is {quoted(answer)}.",
            "Take the case of the row out of what examples are drawn from, as the nearest one is the case itself.",
            row, input=prompt[-600:], output=answer, severity="error",
        )  # fmt: skip


def _shown_again(prompt: str) -> Iterator[tuple[str, str]]:
    """The lines with an item that is in another line too, and what they show of it."""
    lines = [line.strip() for line in prompt.split("\n") if line.strip()]
    text = "\n".join(lines).casefold()
    for mark in _MARKS:
        split = [(line, re.split(mark, line.strip(".;,"), maxsplit=1)) for line in lines]
        examples = [(line, *parts) for line, parts in split if len(parts) == 2 and all(map(bare, parts))]
        for line, item, value in examples if len(examples) > 1 else ():
            if len(sought := bare(item)) < 2 or text.count(sought) == line.casefold().count(sought):
                continue
            rest = "\n".join(other for other in lines if other is not line)
            if re.search(as_a_part(sought), rest, re.IGNORECASE):
                yield line, bare(value)
