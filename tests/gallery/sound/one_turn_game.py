"""A game of one turn: the environment answers once and it is over."""

from grpo_env_sdk import MultiTurnEnv


class MissingNumber(MultiTurnEnv):
    max_turns = 1
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"What comes next: {a}, {a + d}, {a + 2 * d}, {a + 3 * d}?", "next": a + 4 * d}
            for a in range(3, 11)
            for d in range(4, 12)
        ]

    def step(self, action):
        right = action["content"].strip() == str(self.row["next"])
        return "Right." if right else "Wrong.", float(right), True, False, {}

    def solve(self, row):
        return str(row["next"])
