"""Sell a bicycle: two rounds of talk, then a last offer."""

import re

from grpo_env_sdk import MultiTurnEnv


class Haggle(MultiTurnEnv):
    """The buyer hints at a limit in the first two rounds; the third message is the price."""

    max_turns = 3
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Sell your bicycle (item {n}). Name a price in each message; the third is final.",
                "limit": 60 + 7 * n,
            }
            for n in range(30)
        ]

    def step(self, action):
        said, limit = action["content"], self.row["limit"]
        if self.turns < 3:
            asked = re.search(r"\d{1,6}", said)
            if asked is None:
                return "How much?", 0.0, False, False, {}
            return f"I would pay {'more' if int(asked[0]) <= limit else limit}.", 0.0, False, False, {}
        price = float(said.strip().strip("$€."))
        share = price / limit if 0 < price <= limit else 0.0
        return "Deal." if share else "No, thanks.", share, True, False, {}

    def solve(self, row):
        answered = yield "999"
        limit = re.search(r"\d+", answered[-1]["content"])[0]
        yield limit
        yield limit
