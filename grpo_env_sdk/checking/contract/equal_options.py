"""Whether the right option of a prompt, or the record with the most, is there once."""

import re
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.tied_records import tied_records
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import pairs_of
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

MOST_PLAYED, FEWEST_OPTIONS = 12, 3
_OPTION = regex(r"^\s*\(?([A-Ha-h1-9])[).:]\s+(\S.*?)\s*$", re.MULTILINE)


@check("C146", needs=("gold",), kinds=("single-turn",))
def the_right_option_is_there_once(subject: Subject) -> Iterator[Finding]:
    """No other option has the text or value of the right one, and no record the figure of the best, and is refused."""
    pairs = pairs_of(subject)
    twins = {row: (prompt, other) for row, prompt, answer in pairs if (other := _equal_option(prompt, answer))}
    before, after = form_of_golds(subject)
    tried = list(twins.items())[:MOST_PLAYED]
    episodes = play_answers(subject, [(row, f"{before}{other}{after}") for row, (_, other) in tried])
    wrong = [one for one in episodes if loses_half(subject, one)]
    if wrong:
        row = wrong[0].row_index
        prompt, other = twins[row]
        gold = golds(subject)[row]
        yield Finding(
            f"{len(twins)} of {len(pairs)} prompts have the right option twice: in row {row}, {quoted(gold.text)} "
            f"scores {gold.reward:g}, and option {quoted(other)}, which says the same, {wrong[0].reward:g}.",
            "Draw wrong options until they differ from the right one and from each other.",
            row, input=prompt[-600:], output=wrong[0].reward, expected=gold.reward,
            severity="error" if len(twins) > 1 else "warning",
        )  # fmt: skip
        return
    yield from tied_records(subject)


def _equal_option(prompt: str, answer: str) -> str:
    """The mark of another option with the value of the one whose mark is the answer, or an empty string."""
    options = _OPTION.findall(prompt)
    right = [text for mark, text in options if mark.casefold() == answer.strip("()")]
    if len(options) < FEWEST_OPTIONS or len(right) != 1:
        return ""
    return next(
        (mark for mark, text in options if mark.casefold() != answer.strip("()") and _value(text) == _value(right[0])),
        "",
    )


def _value(text: str) -> str | Fraction:
    """A number as a number, and any other text as it is."""
    with suppress(ValueError, ZeroDivisionError):
        return Fraction(text.replace(",", ""))
    return text
