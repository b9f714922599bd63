"""A greenhouse whose tool takes the number of a pot as its place in a list, without gold."""

import random

from grpo_env_sdk import ToolEnv, reward, tool


class Greenhouse(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        rng = random.Random(9)
        seeds = ("basil", "chervil", "dill", "fennel", "lovage", "mint", "parsley", "sage", "sorrel", "thyme")
        rows = [{"seed": seed, "pot": pot} for seed, pot in zip(seeds, rng.sample(range(2, 15), 10), strict=True)]
        return [{"prompt": f"Sow {row['seed']} in pot {row['pot']} of the greenhouse.", **row} for row in rows]

    def setup(self, row):
        self.pots = [""] * 16

    @tool
    def sow(self, seed: str, pot: int) -> str:
        """Sow something.

        Args:
            seed: What to sow.
            pot: The number of the pot, counted from 1 at the door.
        """
        if not 1 <= pot < len(self.pots):
            return "There is no such pot."
        self.pots[pot] = seed
        return "Sown."

    @reward
    def sown(self, seed, pot):
        return self.pots[pot - 1] == seed and sum(map(bool, self.pots)) == 1
