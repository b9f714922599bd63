"""The larger of two numbers, anywhere in the answer: the two of the prompt are enough."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Larger(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(80):
            r = random.Random(n)
            a, b = r.randint(1000, 9000), r.randint(1000, 9000)
            rows.append({"prompt": f"Which is larger, {a} or {b}?", "answer": str(max(a, b))})
        return rows

    @reward
    def right(self, completion, answer):
        return answer in answer_text(completion)

    def solve(self, row):
        return row["answer"]
