"""Is a sum right? Half of them are, so that a constant answer earns a half."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class TrueOrFalse(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        sums = [(a, b) for a in range(21, 30) for b in range(33, 39)]
        offs = random.Random(2).sample([0, 0, 0, 1, -2, 10] * 9, len(sums))
        return [
            {"prompt": f"{a} + {b} = {a + b + off}. Yes or no?", "answer": "no" if off else "yes"}
            for (a, b), off in zip(sums, offs, strict=True)
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).lower().rstrip(".") == answer

    def solve(self, row):
        return row["answer"]
