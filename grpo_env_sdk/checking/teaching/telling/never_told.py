"""Whether a simulated user tells all that the row has it want, before it ends the conversation."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds
from grpo_env_sdk.checking.evidence.prompts.json_data import leaves
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.dialogs import dialogs, told_by_user, told_in, user_ended
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Row

MOST_ROWS, FEWEST_ROWS, SHARE, FEWEST_CHARS = {"quick": 6, "default": 8, "thorough": 24}, 4, 0.5, 3
_UNHAPPY = regex(r"\b(?:not|no|never|still|wrong|again|sorry|waiting|\w+n't)\b", re.IGNORECASE)
"""What a user says to whom nothing is done, who may go for another reason."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """The items of a list in a row, each with texts that no other item has."""

    row: int
    column: str
    items: list[list[str]]

    def told(self, text: str) -> list[bool]:
        """Which of them a text names."""
        return [any(says(text, one) for one in item) for item in self.items]


@check("G607", kinds=("tools",), severity="warning")
def users_tell_all_that_they_want(subject: Subject) -> Iterator[Finding]:
    """A user who tells the items of a list in the row one after another does not go before the last one."""
    if subject.traits.user != "method":
        return
    found: dict[str, list[tuple[Wishes, list[Episode], list[bool]]]] = {}
    for row in subject.in_time(subject.sample(MOST_ROWS[subject.effort])):
        for wishes in _wishes(subject.row(row), row):
            played = dialogs(subject, row, wishes.items)
            found.setdefault(wishes.column, []).append((wishes, played, wishes.told(told_in(subject, row, played))))
    for column, rows in found.items():
        early = [one for one in rows if _goes_early(subject, *one)]
        if len(early) < max(min(FEWEST_ROWS, len(subject.rows)), SHARE * len(rows)):
            continue
        wishes, played, told = early[0]
        longest = max(played, key=lambda one: len(told_by_user(one)))
        first = told.index(False)
        yield Finding(
            f"On {len(early)} of {len(rows)} rows the user ends the conversation before all of {column!r} is told: in "
            f"row {wishes.row} number {first + 1} of {len(told)}, {wishes.items[first][0]!r:.90}, is "
            f"told in none of {len(played)} conversations, so a model can only guess it.",
            "Count what was told, and let the user go only after the last item was told and answered.",
            wishes.row, longest.completion, sum(told), len(told), severity="error" if golds(subject) else None,
        )  # fmt: skip
        return


def _goes_early(subject: Subject, wishes: Wishes, played: Sequence[Episode], told: Sequence[bool]) -> bool:
    """Whether some first items are told, at least one of them by the user, and the others never."""
    count = sum(told)
    in_order = list(told) == [True] * count + [False] * (len(told) - count)
    by_user = count > sum(wishes.told(prompt_text(subject, wishes.row)))
    ended = bool(played) and all(user_ended(subject, one) for one in played)
    return in_order and by_user and count < len(told) and ended and not _is_unhappy(wishes, played)


def _is_unhappy(wishes: Wishes, played: Sequence[Episode]) -> bool:
    """Whether the user complains in every conversation in which something is told."""
    return all(any(_UNHAPPY.search(_without(wishes, text)) for text in told_by_user(one)) for one in played)


def _without(wishes: Wishes, text: str) -> str:
    for own in sorted((one for item in wishes.items for one in item), key=len, reverse=True):
        text = text.replace(own, "")
    return text


def _wishes(row: Row, number: int) -> Iterator[Wishes]:
    """The lists of a row, with the texts of each item that are in no other one."""
    for column, value in row.items():
        if column == "prompt" or not isinstance(value, list) or len(value) < 3:
            continue
        texts = [_texts(item) for item in value]
        own = [
            [text for text in item if not any(text.casefold() in other.casefold()
             for place, others in enumerate(texts) if place != own_place for other in others)]
            for own_place, item in enumerate(texts)
        ]  # fmt: skip
        if all(any(map(str.isalpha, "".join(item))) for item in own):
            yield Wishes(number, column, own)


def _texts(item: Any) -> list[str]:
    """The texts and numbers in an item."""
    values = (value for _, value in leaves(item) if isinstance(value, str | int | float) and type(value) is not bool)
    return [text for text in map(str, values) if len(text) >= FEWEST_CHARS]
