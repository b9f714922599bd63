"""Sellers are paid for low prices, as buyers are."""

import random
import re

from grpo_env_sdk import MultiTurnEnv, answer_text


class Bazaar(MultiTurnEnv):
    max_turns = 4
    reward_range = (0, 1)
    fair = False

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(24):
            low = random.Random(number).randint(20, 60)
            high, role = low + 40, "seller" if number % 2 else "buyer"
            text = (
                f"Stall {number}: you are the {role} of a carpet, your limit is {low if number % 2 else high} coins. "
                "Each message is 'offer N'. The reward is your share of the gap between your limit and mine."
            )
            rows.append({"prompt": text, "role": role, "low": low, "high": high})
        return rows

    def step(self, action):
        said, row = re.fullmatch(r"offer (\d{1,5})", answer_text([action]).strip()), self.row
        if not said:
            return "Say 'offer N'.", 0.0, False, False, {}
        price, sells = int(said[1]), row["role"] == "seller"
        if price > row["high"] if sells else price < row["low"]:
            return "No.", 0.0, False, False, {}
        part = (price - row["low"]) if sells and self.fair else (row["high"] - price)
        return "It is a deal.", min(1.0, max(0.0, part / 40)), True, False, {}

    def solve(self, row):
        return [f"offer {row['high'] if row['role'] == 'seller' and self.fair else row['low']}"]
