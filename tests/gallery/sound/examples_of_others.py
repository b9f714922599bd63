"""Examples are drawn from the other rows."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Products(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        qs = [(f"Q: {a} * {b} =", str(a * b)) for a in range(41, 49) for b in range(51, 58)]
        return [
            {
                "prompt": "\n".join(f"{x} {y}" for x, y in random.Random(i).sample([p for p in qs if p[0] != q], 5))
                + f"\n{q}",
                "answer": a,
            }
            for i, (q, a) in enumerate(qs)
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
