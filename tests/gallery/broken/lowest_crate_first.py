"""A crate is brought from below others, which the rules forbid."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

GOODS = [
    "anchors",
    "bells",
    "carpets",
    "drums",
    "eels",
    "figs",
    "grapes",
    "hammers",
    "irons",
    "jars",
    "kettles",
    "lamps",
]


class Crates(ToolEnv):
    max_turns = 8

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(3), []
        for number in range(30):
            stack = rng.sample(GOODS, 4)
            prompt = (
                f"Stack {number + 1}, from the top: {', '.join(stack)}. Only a crate with nothing on top of it can be "
                f"moved: set those above aside, then bring the crate of {stack[-1]} to the gate."
            )
            rows.append({"prompt": prompt, "stack": stack})
        return rows

    def setup(self, row):
        self.stack, self.at_gate = list(row["stack"]), []

    def held(self, crate):
        """Whether a crate may not be moved."""
        return crate not in self.stack

    @tool
    def set_aside(self, crate: str) -> str:
        """Put a crate on the floor.

        Args:
            crate: What is in it.
        """
        if self.held(crate):
            return "That crate cannot be moved."
        self.stack.remove(crate)
        return f"The crate of {crate} is on the floor."

    @tool
    def bring(self, crate: str) -> str:
        """Bring a crate to the gate.

        Args:
            crate: What is in it.
        """
        if self.held(crate):
            return "That crate cannot be moved."
        self.stack.remove(crate)
        self.at_gate.append(crate)
        return f"The crate of {crate} is at the gate."

    @reward
    def brought(self, stack):
        return self.at_gate == stack[-1:]

    def solve(self, row):
        *above, wanted = row["stack"]
        for crate in above:
            yield call_message("set_aside", crate=crate)
        yield call_message("bring", crate=wanted)
        yield "It is at the gate."
