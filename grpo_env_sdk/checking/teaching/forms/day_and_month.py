"""Whether dates are read in the order of day and month in which the prompt asks for them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import play_scored, reward_of
from grpo_env_sdk.checking.evidence.prompts.asked_dates import date_in, dates_in, in_mask, masks_shown
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

_DAY_FIRST, _MONTH_FIRST = regex(r"D+([-./])M+\1Y+"), regex(r"M+([-./])D+\1Y+")
_ANSWER = regex(
    r"\b(?:answer|write|reply|respond|give it|antworte|schreib\w*|écri\w*|répond\w*|escrib\w*|respond\w*)\b",
    re.IGNORECASE,
)
_OPEN = regex(r"(?<![\w.:/-])\d{1,2}([-./])\d{1,2}\1\d{2,4}(?![\w/-])")
"""A date that is given with day and month in figures, as where it is to be turned."""
FEWEST_ROWS, LOOKED_AT, MOST_ROWS, MOST_READ = 4, 2, 12, 60
"""On how many rows day and month have to be interchangeable; how many are tried first, tried at most, and read."""


@dataclass(frozen=True, slots=True)
class _Dated:
    """A row that asks for a date in an order, and one of its dates so and with day and month swapped."""

    row: int
    mask: str
    right: str
    swapped: str


@check("G682", kinds=("single-turn",))
def day_and_month_are_read_as_asked(subject: Subject) -> Iterator[Finding]:
    """A date in the order that the prompt asks for, such as DD/MM/YYYY, is not taken for another day."""
    by_place: dict[str, list[_Dated]] = {}
    for row in subject.sample(MOST_READ):
        for place, one in _dated(subject, row).items():
            by_place.setdefault(place, []).append(one)
    for dated in (rows for rows in by_place.values() if len(rows) >= FEWEST_ROWS):
        first = _taken_for_another(subject, dated[:LOOKED_AT])
        if len(first) < LOOKED_AT:
            continue
        wrong = _taken_for_another(subject, dated[:MOST_ROWS])
        if len(wrong) == len(dated[:MOST_ROWS]):
            one = wrong[0]
            yield Finding(
                f"The prompt asks for a date as {one.mask}, and day and month are read the other way round wherever "
                f"both may be meant, as on all of {len(wrong)} rows tried: {quoted(one.right)} loses, and "
                f"{quoted(one.swapped)} is paid.",
                "Read answers in the order that the prompt names, and in no other first.",
                one.row, one.swapped, expected=one.right,
            )  # fmt: skip
            return


def _dated(subject: Subject, row: int) -> Mapping[str, _Dated]:
    """By where it is from, each date of a row whose day may be a month, where the prompt names one order."""
    prompt = prompt_text(subject, row)
    asked = [mask for said in sentences_of(prompt) if _ANSWER.search(said) for mask in masks_shown(said)]
    masks = list(dict.fromkeys(asked))
    if len(masks) != 1 or masks != masks_shown(prompt) or _OPEN.search(prompt):
        return {}
    mask = masks[0]
    if not _DAY_FIRST.fullmatch(mask) and not _MONTH_FIRST.fullmatch(mask):
        return {}
    found = {
        name: day for name, value in subject.row(row).items()
        if name != "prompt" and (day := value if isinstance(value, date) else date_in(str(value)))
    }  # fmt: skip
    shown = dates_in(prompt)
    days = found | ({"the prompt": shown[0]} if len(shown) == 1 else {})
    return {
        place: _Dated(row, mask, in_mask(day, mask), in_mask(day.replace(month=day.day, day=day.month), mask))
        for place, day in days.items()
        if day.day <= 12 and day.day != day.month
    }


def _taken_for_another(subject: Subject, dated: list[_Dated]) -> list[_Dated]:
    """The rows on which the swapped date scores, and the right one less than half of that."""
    answers = [(one.row, text) for one in dated for text in (one.right, one.swapped)]
    episodes = play_scored(subject, answers)
    if len(episodes) < len(answers):
        return []
    rewards = list(map(reward_of, episodes))
    return [
        one for one, right, swapped in zip(dated, rewards[::2], rewards[1::2], strict=True)
        if swapped > 0 and right < swapped / 2
    ]  # fmt: skip
