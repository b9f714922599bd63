"""The card is scored that is charged, and not the fare."""

import json

from grpo_env_sdk import ToolEnv, call_message, reward, tool

FARES = {"Ostend": 14, "Ghent": 22, "Bruges": 31, "Liege": 47, "Namur": 58, "Mons": 63, "Ypres": 27, "Spa": 44}


class Fares(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        asked = "Passenger {}: charge the fare to {} to the card C-{}."
        return [
            {"prompt": asked.format(n, town, 11 * n), "town": town, "card": f"C-{11 * n}"}
            for n, town in enumerate(FARES, 2)
        ]

    def setup(self, row):
        self.charged = []

    @tool
    def get_fares(self) -> dict[str, int]:
        """List the fares by town."""
        return FARES

    @tool
    def charge(self, card: str, amount: int) -> str:
        """Charge an amount to a card.

        Args:
            card: The number of the card, with its letter.
            amount: How many euros.
        """
        self.charged.append(card)
        return f"The card is charged with {amount} euros."

    @reward
    def right_card(self, card):
        return self.charged == [card]

    def solve(self, row):
        answered = yield call_message("get_fares")
        yield call_message("charge", card=row["card"], amount=json.loads(answered[-1]["content"])[row["town"]])
        yield "It is charged."
