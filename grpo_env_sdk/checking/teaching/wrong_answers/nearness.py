"""Whether a nearer number earns more, where prompts promise that."""

import re
from collections.abc import Iterator
from decimal import Decimal

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, gold_name, play_answers, reward_of, was_scored
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.variants import golds_with_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_ROWS, MOST_ROWS, MOSTLY = 6, 16, 0.8
_PROMISED = regex(
    r"\b(?:nearer|closer)\b[^.?!\n]{0,60}\b(?:higher|better|more|larger|bigger|greater)\b"
    r"|\b(?:higher|better|more|larger|bigger|greater)\b[^.?!\n]{0,60}\b(?:nearer|closer)\b"
    r"|\b(?:near|close) (?:answers?|guess\w*|values?|estimates?|misses?)\b[^.?!\n]{0,40}"
    r"\b(?:earns?|scores?|gets?|credit)\b"
    r"|\bpartial credit\b[^.?!\n]{0,40}\b(?:near|close)\w*",
    re.IGNORECASE,
)
_NUMBER = regex(r"(?<![\w.,/:-])\d{2,15}(?:\.\d{1,6})?(?![\w,/:-]|\.\d)")


@check("G633", kinds=("single-turn",), needs=("gold",), severity="error")
def nearer_numbers_earn_more(subject: Subject) -> Iterator[Finding]:
    """Where prompts promise more for a nearer number, one that is far off earns less than one beside gold."""
    known = [gold for gold in golds_with_text(subject, MOST_ROWS) if _promised(subject, gold)]
    near = {gold.row: [_moved(gold.text, by * _unit(gold.text)) for by in (1, -1)] for gold in known}
    far = {gold.row: [_moved(gold.text, by * _size(gold.text)) for by in (1, -1)] for gold in known}
    if len(known) < FEWEST_ROWS:
        return
    played: dict[tuple[int, str], Episode] = {}
    tried: list[tuple[int, Completion]] = [(row, text) for texts in (near, far) for row in texts for text in texts[row]]
    for (row, text), episode in zip(tried, play_answers(subject, tried), strict=False):
        played[row, str(text)] = episode
    wrong = []
    for gold in known:
        beside = [played[gold.row, text] for text in near[gold.row] if (gold.row, text) in played]
        off = [played[gold.row, text] for text in far[gold.row] if (gold.row, text) in played]
        if len(beside) == len(off) == 2 and (pair := _worse(gold, beside, off, subject.traits.reward_range[0])):
            wrong.append(pair)
    if len(wrong) >= max(FEWEST_ROWS, MOSTLY * len(known)):
        nearer, farther = max(wrong, key=lambda pair: reward_of(pair[1]) - reward_of(pair[0]))
        told = next(gold.text for gold in known if gold.row == nearer.row_index)
        yield Finding(
            f"A number that is far off earns as much as one beside {gold_name(subject)}, or more, on {len(wrong)} of "
            f"{len(known)} rows, although the prompt promises more for nearer ones: "
            f"{quoted(answer_text(farther.completion))} scores {farther.reward:g}, and "
            f"{quoted(answer_text(nearer.completion))} {nearer.reward:g}, where gold is {quoted(told)}.",
            "Compare the numbers, and not their digits or letters.",
            nearer.row_index, answer_text(farther.completion), farther.reward, f"less than {nearer.reward:g}",
        )  # fmt: skip


def _promised(subject: Subject, gold: Gold) -> bool:
    return len(_NUMBER.findall(gold.text)) == 1 and _PROMISED.search(prompt_text(subject, gold.row)) is not None


def _unit(text: str) -> Decimal:
    """One of the last place of the number of a text."""
    return Decimal(1).scaleb(int(Decimal(_NUMBER.findall(text)[0]).as_tuple().exponent))


def _size(text: str) -> Decimal:
    """One of its first place, which makes it several times as large, or much smaller."""
    return Decimal(1).scaleb(Decimal(_NUMBER.findall(text)[0]).adjusted())


def _moved(text: str, by: Decimal) -> str:
    return _NUMBER.sub(lambda found: str(abs(Decimal(found.group()) + by)), text, count=1)


def _worse(gold: Gold, beside: list[Episode], off: list[Episode], low: float) -> tuple[Episode, Episode] | None:
    """The worse of two near numbers and the better of two far ones, if it earns as much of what gold earns in part."""
    nearer, farther = min(beside, key=reward_of), max(off, key=reward_of)
    if not was_scored(nearer) or not was_scored(farther):
        return None
    partly = low + NEARLY < reward_of(farther) and reward_of(nearer) < gold.reward - NEARLY
    return (nearer, farther) if partly and reward_of(farther) >= reward_of(nearer) - NEARLY else None
