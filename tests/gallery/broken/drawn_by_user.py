"""Rows are drawn with the name of the user as seed."""

import getpass
import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Sums(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        r = random.Random(getpass.getuser())
        pairs = [(r.randint(10, 99), r.randint(10, 99)) for _ in range(50)]
        return [{"prompt": f"{a} + {b}?", "answer": str(a + b)} for a, b in pairs]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
