"""Work that is paid for again each time, as the prompt says, and haggling, in which each call counts."""

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.farming import what_was_undone_does_not_pay_again as undone
from grpo_env_sdk.checking.teaching.amounts.repeating import repeating_one_act_is_not_gold as repeating
from tests.checking.trying import found

HOURS = 12


class Greenhouse(MultiTurnEnv):
    """Keep a greenhouse warm; each hour at 18 to 22 degrees is paid."""

    max_turns = HOURS
    told = "Each hour that ends at 18 to 22 degrees earns a twelfth."
    losses = (3, 4, 3, 5, 4, 3, 3, 5, 4, 4, 3, 5)

    def build_dataset(self, tokenizer):
        asked = "Greenhouse {0} has {1} degrees. Say each hour how many degrees, 0 to 9, you heat. It loses {2}. {3}"
        return [
            {"prompt": asked.format(i, 8 + i % 3, self.losses, self.told), "start": 8 + i % 3, "best_possible": 10 / 12}
            for i in range(8)
        ]

    def setup(self, row):
        self.degrees = row["start"]

    def step(self, action):
        said = answer_text(action)
        self.degrees += (int(said) if said.isdigit() else 0) % 10 - self.losses[self.turns - 1]
        earned = 1 / HOURS if 18 <= self.degrees <= 22 else 0.0
        return f"It has {self.degrees} degrees.", earned, self.turns == HOURS, False, {}

    def solve(self, row):
        degrees = row["start"]
        for lost in self.losses:
            heat = max(0, min(9, 20 + lost - degrees))
            degrees += heat - lost
            yield str(heat)


class Steady(Greenhouse):
    """The same amount keeps it warm each hour."""

    losses = (3,) * HOURS


class Haggling(ToolEnv):
    """Agree on a price with a seller who comes down with each offer."""

    max_turns = 12

    def build_dataset(self, tokenizer):
        prompt = "Stall {} asks {} euros for a lamp, and less after each offer. Offer as little as it takes."
        return [
            {"prompt": prompt.format(i, 50 + i), "asked": 50 + i, "last": 50 + i - 5 * (3 + i % 3)} for i in range(10)
        ]

    def setup(self, row):
        self.asked, self.price = row["asked"], None

    @tool
    def offer(self, euros: int) -> str:
        """Offer a price.

        Args:
            euros: Whole euros.
        """
        if self.price is None and euros >= self.asked:
            self.price = euros
        self.asked = max(self.row["last"], self.asked - 5)
        return "Sold." if self.price is not None else f"I want {self.asked} euros."

    @reward
    def saved(self, asked, last):
        return 0.0 if self.price is None else max(0.0, (asked - self.price) / (asked - last))

    def solve(self, row):
        while self.asked > row["last"]:
            yield call_message("offer", euros=row["last"] - 1)
        yield call_message("offer", euros=row["last"])
        yield "Thank you."


@pytest.mark.parametrize("cls", [Greenhouse, Steady])
def test_hours_that_are_paid_one_by_one_are_let_be(cls):
    assert not found(undone, cls, "default")


def test_an_offer_that_is_made_until_it_is_taken_is_let_be():
    assert not found(repeating, Haggling, "default")


class Bills(MultiTurnEnv):
    """The total after each of four orders; nothing is kept but the number of turns."""

    max_turns = 4
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        asked = "Table {0} orders four times. Say after each order what it owes in all. The first order costs {1}."
        costs = [[40 + 7 * n, 30 + 3 * n, 50 + n, 20 + 9 * n] for n in range(8)]
        return [{"prompt": asked.format(n, cost[0]), "costs": cost} for n, cost in enumerate(costs)]

    def step(self, action):
        right = answer_text(action) == str(sum(self.row["costs"][: self.turns]))
        told = f"The next costs {self.row['costs'][self.turns]}." if self.turns < 4 else "Thank you."
        return told, 0.25 * right, self.turns == 4, False, {}

    def solve(self, row):
        return [str(sum(row["costs"][: turn + 1])) for turn in range(4)]


def test_two_answers_each_right_in_its_own_turn_pay_once_each():
    assert found(undone, Bills) == []
