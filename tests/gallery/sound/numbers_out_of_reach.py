"""Some numbers cannot be reached, and these rows say so; there is no solution to look at."""

from grpo_env_sdk import MultiTurnEnv


class Reach(MultiTurnEnv):
    max_turns = 10
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Your number is {n}. Say double or minus three, until it is {goal}.",
                "n": n, "goal": goal, "best_possible": float(n % 3 != 0 or goal % 3 == 0),
            }
            for n in range(1, 6)
            for goal in (7, 8, 9)
        ]  # fmt: skip

    def setup(self, row):
        self.number = row["n"]

    def step(self, action):
        said = action["content"].strip().lower()
        if said not in ("double", "minus three"):
            return "Say double or minus three.", 0.0, False, False, {}
        self.number += self.number if said == "double" else -3
        reached = self.number == self.row["goal"]
        return "Reached." if reached else str(self.number), float(reached), reached, False, {}
