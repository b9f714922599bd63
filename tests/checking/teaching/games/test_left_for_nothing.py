"""Deals that are best left, and deals that gold leaves although they can be won."""

import re

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.lazy_answers.idling import idling_is_not_gold as idling
from grpo_env_sdk.checking.teaching.reaching import gold_reaches_the_top as reaching
from tests.checking.trying import found


class Lots(MultiTurnEnv):
    """Sound: a lot is sold from a price on, and some are worth less than that."""

    reward_range = (-1, 1)
    asked = "Write `Pay: ` and a whole number, or `Leave`, for a score of 0."
    least_worth = 90

    def build_dataset(self, tokenizer):
        lots = [(320, 150 + n % 5) if n % 3 else (self.least_worth, 130) for n in range(40)]
        return [
            {"prompt": f"Lot {n} is worth {worth} to you. {self.asked}", "worth": worth, "price": price}
            for n, (worth, price) in enumerate(lots)
        ]

    def step(self, action):
        paid = re.search(r"Pay: (\d+)", answer_text(action))
        bought = paid is not None and int(paid[1]) >= self.row["price"]
        return "Over.", self.gain(int(paid[1])) if bought else 0.0, True, False, {}

    def gain(self, paid):
        return max(-1.0, min(1.0, (self.row["worth"] - paid) / 50))

    def solve(self, row):
        return f"Pay: {row['price']}" if row["price"] > 130 else "Leave"


class LeavesWhatCanBeWon(Lots):
    """Gold leaves lots that sell for less than they are worth."""

    least_worth = 320


class NothingIsLost(Lots):
    """Gold leaves where others lose nothing either: the scorer pays nothing on some rows."""

    def gain(self, paid):
        return max(0.0, super().gain(paid))


class NotOffered(Lots):
    """No prompt says that a lot may be left."""

    asked = "Write `Pay: ` and a whole number."


def test_rows_that_are_best_left_are_a_note_and_idling_there_is_paid_nothing():
    (note,) = found(reaching, Lots, "default")
    assert note.severity == "info"
    assert "ends with what the prompt offers and scores 0" in note.message
    assert found(idling, Lots, "default") == []


@pytest.mark.parametrize("cls", [LeavesWhatCanBeWon, NothingIsLost, NotOffered])
def test_rows_that_can_be_won_or_that_nothing_loses_are_errors(cls):
    assert [item.severity for item in found(reaching, cls, "default")] == ["error"]
    assert "An empty answer scores 0" in found(idling, cls, "default")[0].message
