"""Money is to be split among funds, and each fund may have all of it."""

import json
import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

FUNDS = ["forest", "harbour", "library", "museum", "stadium"]


class Funds(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(16):
            rng = random.Random(n)
            funds, votes = rng.sample(FUNDS, 3), rng.sample(range(1, 100), 3)
            told = ", ".join(f"{fund} {count} votes" for fund, count in zip(funds, votes, strict=True))
            asked = "Give each its percentage as a JSON object, from 0 to 100; the percentages add up to 100."
            prompt = f"{told}. {asked} The more votes behind the money, the better."
            rows.append({"prompt": prompt, "funds": funds, "votes": votes})
        return rows

    @reward
    def behind_the_money(self, completion, funds, votes):
        try:
            given = json.loads(answer_text(completion))
        except (ValueError, RecursionError):
            return 0.0
        if not isinstance(given, dict) or set(given) != set(funds):
            return 0.0
        if not all(type(share) in (int, float) and 0 <= share <= 100 for share in given.values()):
            return 0.0
        reached = sum(given[fund] * count for fund, count in zip(funds, votes, strict=True))
        return min(1.0, reached / (100 * max(votes)))

    def solve(self, row):
        best = row["votes"].index(max(row["votes"]))
        return json.dumps({fund: 100 * (place == best) for place, fund in enumerate(row["funds"])})
