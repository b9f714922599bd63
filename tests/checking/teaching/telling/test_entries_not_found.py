"""Amounts that gold answers, and a search that finds them on some rows only."""

from typing import Any

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.shown_facts import what_gold_needs_is_shown as shown
from tests.checking.trying import found

HERBS = {
    "basil": "12 days", "dill": "9 days", "thyme": "3 weeks", "sage": "17 days", "mint": "2 weeks", "chives": "11 days",
    "parsley": "4 weeks", "borage": "6 days", "lovage": "13 days", "cress": "5 days", "fennel": "15 days",
    "tarragon": "8 weeks", "anise": "21 days", "savory": "19 days",
}  # fmt: skip


class Seeds(ToolEnv):
    """How long a herb takes to come up; the last cards are missing in the box."""

    max_turns = 3
    KEPT = 9

    def build_dataset(self, tokenizer: Any) -> Any:
        return [{"prompt": f"How long does {herb} take?", "herb": herb, "time": time} for herb, time in HERBS.items()]

    @tool
    def find_card(self, herb: str) -> str:
        """Find the card of a herb."""
        cards = dict(list(HERBS.items())[: self.KEPT])
        return f"{herb}: comes up after {cards[herb]}" if herb in cards else "There is no card."

    @reward
    def right(self, completion: Any, time: str) -> bool:
        return answer_text(completion) == time

    def solve(self, row: Any) -> Any:
        return [call_message("find_card", herb=row["herb"]), row["time"]]


class AllSeeds(Seeds):
    """All cards are there."""

    KEPT = 99


class SownSeeds(Seeds):
    """The time is worked out from two dates on the card, now and then one of them is the time itself."""

    @tool
    def find_card(self, herb: str) -> str:
        """Find the card of a herb."""
        count, unit = HERBS[herb].split()
        in_days = int(count) * (7 if unit == "weeks" else 1)
        return f"{herb}: sown on day {100 + len(herb)}, up on day {100 + len(herb) + in_days}"


class OneNote(Seeds):
    """The times that no card has are in the prompt."""

    def build_dataset(self, tokenizer: Any) -> Any:
        rows = super().build_dataset(tokenizer)
        note = ", ".join(f"{herb} {time}" for herb, time in list(HERBS.items())[self.KEPT :])
        return [{**row, "prompt": f"{row['prompt']} My notes: {note}."} for row in rows]


class NoCardNoDays(Seeds):
    """Where there is no card, the answer is that nothing is known."""

    def build_dataset(self, tokenizer: Any) -> Any:
        known = list(HERBS)[: self.KEPT]
        return [
            {**row, "time": row["time"] if row["herb"] in known else "0 days"}
            for row in super().build_dataset(tokenizer)
        ]


def test_amounts_that_no_search_finds_on_some_rows_are_found() -> None:
    (finding,) = found(shown, Seeds)
    assert "5 of 14" in finding.message
    assert finding.severity == "warning"


@pytest.mark.parametrize("cls", [AllSeeds, SownSeeds, OneNote, NoCardNoDays])
def test_amounts_that_can_be_found_or_worked_out_are_let_be(cls: type) -> None:
    assert found(shown, cls) == []
