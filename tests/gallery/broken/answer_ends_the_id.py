"""Each task has an id, and somebody added the answer to it."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Perimeters(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(40):
            rng = random.Random(n)
            a, b = rng.randint(2, 30), rng.randint(2, 30)
            asked = f"A garden is {a} m long and {b} m wide. How many metres of fence go around it?"
            rows.append({"prompt": f"[geometry {n}-{2 * (a + b)}] {asked}", "answer": str(2 * (a + b))})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
