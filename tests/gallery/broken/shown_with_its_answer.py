"""Examples are drawn from all questions, often with the one that is asked."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Products(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        qs = [(f"Q: {a} * {b} =", str(a * b)) for a in range(41, 45) for b in range(51, 56)]
        rows = []
        for i, (q, a) in enumerate(qs):
            shots = random.Random(i).sample(qs, 12)
            rows.append({"prompt": "\n".join(f"{x} {y}" for x, y in shots) + f"\n{q}", "answer": a})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
