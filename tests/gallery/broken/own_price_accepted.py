"""Selling a boat to a buyer: the last price named counts, also that of the seller."""

import re

from grpo_env_sdk import MultiTurnEnv, answer_text


class Boats(MultiTurnEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        told = "Boat {} cost you {}. Say PRICE and a number to the buyer, or DEAL to take the price of the buyer."
        rows = [{"cost": 200 + 15 * n, "most": 260 + 15 * n + 37 * n % 90} for n in range(16)]
        return [{"prompt": told.format(n, row["cost"]), **row} for n, row in enumerate(rows)]

    def setup(self, row):
        self.price = None

    def step(self, action):
        said, row = answer_text([action]).strip(), self.row
        named = re.fullmatch(r"PRICE (\d+)", said)
        if named:
            self.price = int(named[1])
        if (said == "DEAL" and self.price is not None) or (named and self.price <= row["most"]):
            gain = (self.price - row["cost"]) / (row["most"] - row["cost"])
            return "Done.", min(1.0, max(0.0, gain)), True, False, {}
        return "No, that is too much." if named else "Name a price.", 0.0, False, False, {}

    def solve(self, row):
        return [f"PRICE {row['most']}"]
