"""The count of turns is checked before the last answer is."""

from grpo_env_sdk import MultiTurnEnv


class Questions(MultiTurnEnv):
    max_turns = 5
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Ask what you like; then say the sum of {n} and {n * 3 % 17}.", "answer": str(n + n * 3 % 17)}
            for n in range(40, 70)
        ]

    def setup(self, row):
        self.count = 0

    def step(self, action):
        self.count += 1
        if self.count >= self.max_turns:
            return "Too late.", 0.0, False, True, {}
        if action["content"].strip() == self.row["answer"]:
            return "Right.", 1.0, True, False, {}
        return "Go on.", 0.0, False, False, {}

    def solve(self, row):
        return [row["answer"]]
