"""Prompts are one system message; `reset` gives the first message of the user."""

from grpo_env_sdk import MultiTurnEnv


class Chat(MultiTurnEnv):
    max_turns = 2

    def build_dataset(self, tokenizer):
        rules = [{"role": "system", "content": "Answer with a number alone."}]
        return [{"prompt": rules, "first": a, "second": b} for a in range(2, 12) for b in range(13, 17)]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed, options=options)
        return f"What is {self.row['first']} times {self.row['second']}?", {}

    def step(self, action):
        right = action["content"].strip() == self.solve(self.row)
        return "Right." if right else "No.", float(right), right, False, {}

    def solve(self, row):
        return str(row["first"] * row["second"])
