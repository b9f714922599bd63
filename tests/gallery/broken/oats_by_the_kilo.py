"""Order fodder for animals: the schema asks for sacks, and the order is compared with the kilograms."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

SACKS = {"oats": 15, "barley": 20, "bran": 8, "hay": 12}


class Fodder(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        rng = random.Random(15)
        rows = []
        for n in range(20):
            fodder = rng.choice(sorted(SACKS))
            kilograms = SACKS[fodder] * rng.randint(3, 30)
            prompt = (
                f"The animals of stable {n + 1} eat {kilograms} kg of {fodder} this week. A sack of {fodder} holds "
                f"{SACKS[fodder]} kg. Order what they eat."
            )
            rows.append({"prompt": prompt, "fodder": fodder, "kilograms": kilograms})
        return rows

    def setup(self, row):
        self.ordered = []

    @tool
    def order(self, fodder: str, amount: int) -> str:
        """Order fodder from the mill.

        Args:
            fodder: Its name.
            amount: How much of it, in sacks.
        """
        self.ordered.append((fodder, amount))
        return "Ordered."

    @reward
    def right(self, fodder, kilograms):
        return self.ordered == [(fodder, kilograms)]

    def solve(self, row):
        return [call_message("order", fodder=row["fodder"], amount=row["kilograms"]), "It is ordered."]
