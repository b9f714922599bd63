"""Coats of paint are asked for in an order, and compared as a set."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

COLOURS = ["white", "grey", "blue", "green", "ochre", "red", "black", "silver"]


class Coats(ToolEnv):
    max_turns = 7

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(11), []
        for number in range(30):
            coats = rng.sample(COLOURS, 4)
            prompt = f"Boat {number + 1}: paint it with these coats, in this order: {', '.join(coats)}."
            rows.append({"prompt": prompt, "coats": coats})
        return rows

    def setup(self, row):
        self.painted = []

    @tool
    def paint(self, colour: str) -> str:
        """Paint a coat.

        Args:
            colour: Its colour.
        """
        if colour not in COLOURS:
            return "There is no such paint."
        self.painted.append(colour)
        return f"A coat of {colour} is on."

    @reward
    def as_asked(self, coats):
        return len(self.painted) == len(coats) and set(self.painted) == set(coats)

    def solve(self, row):
        for colour in row["coats"]:
            yield call_message("paint", colour=colour)
        yield "Painted."
