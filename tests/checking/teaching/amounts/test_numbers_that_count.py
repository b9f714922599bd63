"""Numbers that gold looks up and puts into a call."""

import json
from typing import Any

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.numbers_that_count import numbers_of_calls_count as numbers
from tests.checking.trying import found

FARES = {"Ostend": 14, "Ghent": 22, "Bruges": 31, "Liege": 47, "Namur": 58, "Mons": 63}


class Fares(ToolEnv):
    """The fare is looked up and charged, and only the card is scored."""

    max_turns = 4
    ASK = "Charge the fare to {} to the card {}."

    def build_dataset(self, tokenizer: Any) -> Any:
        return [
            {"prompt": self.ASK.format(town, f"C-{n}{n}"), "town": town, "card": f"C-{n}{n}", "fare": fare}
            for n, (town, fare) in enumerate(FARES.items(), 2)
        ]

    def setup(self, row: Any) -> None:
        self.charged: list[Any] = []

    @tool
    def get_fares(self) -> dict[str, int]:
        """List the fares by town."""
        return FARES

    @tool
    def charge(self, card: str, amount: int) -> str:
        """Charge an amount to a card."""
        self.charged.append((card, amount))
        return "Charged."

    def right(self, amount: int, fare: int) -> bool:
        return True

    @reward
    def is_charged(self, card: str, fare: int) -> bool:
        return len(self.charged) == 1 and self.charged[0][0] == card and self.right(self.charged[0][1], fare)

    def solve(self, row: Any) -> Any:
        answered = yield call_message("get_fares")
        yield call_message("charge", card=row["card"], amount=json.loads(answered[-1]["content"])[row["town"]])
        yield "It is charged."


class ExactFares(Fares):
    """The amount is scored."""

    def right(self, amount: int, fare: int) -> bool:
        return amount == fare


class EnoughPaid(Fares):
    """Who pays more gets change."""

    def right(self, amount: int, fare: int) -> bool:
        return amount >= fare


class AnyAmount(Fares):
    """The prompt says that the amount is free."""

    ASK = "Charge any amount for a trip to {} to the card {}."


class WholeTown(Fares):
    """The call is a note that need not be taken."""

    @reward
    def is_charged(self, completion: Any) -> bool:
        return "charged" in str(completion[-1]["content"])


class Timed(ToolEnv):
    """How long it waits only bounds what the tool does."""

    max_turns = 3

    def build_dataset(self, tokenizer: Any) -> Any:
        return [{"prompt": f"Gate {n}: open it, waiting {n} minutes.", "gate": n} for n in range(5, 13)]

    def setup(self, row: Any) -> None:
        self.opened = False

    @tool
    def open_gate(self, wait_minutes: int) -> str:
        """Open the gate."""
        self.opened = True
        return "It is open."

    @reward
    def is_open(self) -> bool:
        return self.opened

    def solve(self, row: Any) -> Any:
        return [call_message("open_gate", wait_minutes=row["gate"]), "Open."]


class Multiplied(ToolEnv):
    """The tool has to be used, and what is said in the end is scored."""

    max_turns = 3

    def build_dataset(self, tokenizer: Any) -> Any:
        return [{"prompt": f"Multiply {n} by 7 with the tool.", "product": 7 * n} for n in range(11, 19)]

    def setup(self, row: Any) -> None:
        self.used = False

    @tool
    def multiply(self, left: int, right: int) -> int:
        """Multiply two numbers."""
        self.used = True
        return left * right

    @reward
    def is_right(self, completion: Any, product: int) -> bool:
        return self.used and completion[-1]["content"] == str(product)

    def solve(self, row: Any) -> Any:
        return [call_message("multiply", left=row["product"] // 7, right=7), str(row["product"])]


def test_any_other_number_is_as_good_as_the_one_that_is_looked_up() -> None:
    (finding,) = found(numbers, Fares)
    assert finding.severity == "warning"
    assert "charge with another 'amount'" in finding.message


@pytest.mark.parametrize("sound", [ExactFares, EnoughPaid, AnyAmount, WholeTown, Timed, Multiplied])
def test_numbers_that_count_or_need_not(sound: type) -> None:
    assert not found(numbers, sound)
