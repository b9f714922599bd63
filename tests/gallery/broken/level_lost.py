"""Sums; the level is looked up in a table whose keys are written otherwise."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

MOST = {"easy": 60, "hard": 900}


class Additions(SingleTurnEnv):
    """The sum of two numbers, easy or hard."""

    def __init__(self, level: str = "easy"):
        self.most = MOST.get(level.upper(), MOST["easy"])

    def build_dataset(self, tokenizer):
        rng = random.Random(7)
        pairs = {(rng.randrange(11, self.most), rng.randrange(11, self.most)) for _ in range(40)}
        return [{"prompt": f"What is {one} + {other}?", "answer": str(one + other)} for one, other in sorted(pairs)]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
