"""Name the highest of three bids; an answer counts for half a second of the machine's clock."""

import random
import time

from grpo_env_sdk import MultiTurnEnv

BIDDERS = ["Adler", "Bosch", "Cremer", "Dorn", "Ebert", "Falk"]


class Auction(MultiTurnEnv):
    max_turns = 2

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(4), []
        for _ in range(30):
            bids = list(zip(rng.sample(range(20, 400), 3), rng.sample(BIDDERS, 3), strict=True))
            told = ", ".join(f"{name} bids {money}" for money, name in bids)
            rows.append({"prompt": f"{told}. Whose is the lot? Say the name alone.", "winner": max(bids)[1]})
        return rows

    def setup(self, row):
        self.called = time.monotonic()

    def step(self, action):
        right = action["content"] == self.row["winner"]
        return "Sold.", float(right and time.monotonic() - self.called < 0.5), True, False, {}

    def solve(self, row):
        return row["winner"]
