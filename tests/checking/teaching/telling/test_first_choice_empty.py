"""A first choice that is empty: it may be told what is right, and not count."""

from typing import Any

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.told_on_retry import right_choice_told
from tests.checking.trying import subject_of

SHELVES = ("oak", "elm", "ash", "fir", "yew")


class Books(ToolEnv):
    """The first shelf counts, unless its name is empty."""

    max_turns = 4

    def build_dataset(self, tokenizer: Any) -> Any:
        asked = "Put book {} onto its shelf: oak, elm, ash, fir or yew."
        return [{"prompt": asked.format(n), "shelf": SHELVES[n % 5]} for n in range(15)]

    def setup(self, row: Any) -> None:
        self.shelf: str | None = None

    def keep(self, shelf: str) -> None:
        self.shelf = self.shelf or shelf

    @tool
    def put(self, shelf: str) -> str:
        """Put the book onto a shelf."""
        self.keep(shelf)
        return self.reply(shelf)

    def reply(self, shelf: str) -> str:
        return "Right." if shelf == self.row["shelf"] else f"Wrong, {self.row['shelf']} was right."

    @reward
    def is_right(self, shelf: str) -> bool:
        return self.shelf == shelf

    def solve(self, row: Any) -> Any:
        return [call_message("put", shelf=row["shelf"]), "Done."]


class EmptyCounts(Books):
    """An empty name is a wrong one."""

    def keep(self, shelf: str) -> None:
        self.shelf = shelf if self.shelf is None else self.shelf


class EmptyRefused(Books):
    """An empty name is refused, and nothing is told."""

    def reply(self, shelf: str) -> str:
        return super().reply(shelf) if shelf else "There is no such shelf."


def test_an_empty_choice_is_told_what_is_right() -> None:
    (finding,) = right_choice_told(subject_of(Books))
    assert isinstance(finding, Finding)
    assert finding.severity == "error"
    assert "''" in finding.message


@pytest.mark.parametrize("sound", [EmptyCounts, EmptyRefused])
def test_an_empty_choice_counts_or_is_told_nothing(sound: type) -> None:
    assert not list(right_choice_told(subject_of(sound)))
