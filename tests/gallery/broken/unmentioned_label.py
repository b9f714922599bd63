"""The scorer reads what follows `ANSWER:`, which no prompt mentions."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Sums(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"What is {a} plus {b}?", "answer": str(a + b)} for a in range(31, 41) for b in range(31, 37)
        ]

    @reward
    def right(self, completion, answer):
        m = re.search(r"ANSWER: (\S+)$", answer_text(completion))
        return bool(m) and m[1] == answer

    def solve(self, row):
        return f"ANSWER: {row['answer']}"
