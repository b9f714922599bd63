"""Spices of a shelf, to be named by their length; any piece of the list counts as one."""

import random

from grpo_env_sdk import MultiTurnEnv, answer_text

SPICES = ["cumin", "saffron", "nutmeg", "paprika", "cinnamon", "turmeric", "cardamom", "ginger", "fennel", "oregano"]


class Shelf(MultiTurnEnv):
    max_turns = 4
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(24):
            spices = random.Random(number).sample(SPICES, 5)
            prompt = f"Shelf {number} has: {', '.join(spices)}. Name three of its spices, one in each message."
            rows.append({"prompt": prompt, "spices": ", ".join(spices)})
        return rows

    def setup(self, row):
        self.named = []

    def step(self, action):
        said = answer_text([action]).strip().lower()
        if not said.isalpha() or said not in self.row["spices"] or said in self.named:
            return "That is not on the shelf, or was named.", 0.0, False, False, {}
        self.named.append(said)
        return "Here it is.", 1 / 3, len(self.named) == 3, False, {}

    def solve(self, row):
        return row["spices"].split(", ")[:3]
