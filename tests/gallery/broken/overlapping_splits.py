"""Products of small numbers, with a split of their own for testing."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

SEEDS = {"train": 0, "test": 1}
ROWS = {"train": 250, "test": 50}


class Products(SingleTurnEnv):
    def build_dataset(self, tokenizer, split="train"):
        rng = random.Random(SEEDS[split])
        pairs = rng.sample([(a, b) for a in range(3, 23) for b in range(3, 23)], ROWS[split])
        return [{"prompt": f"{a} times {b} is? Answer with digits.", "answer": str(a * b)} for a, b in pairs]

    @reward
    def right(self, completion, answer):
        return answer_text(completion) == answer

    def solve(self, row):
        return row["answer"]
