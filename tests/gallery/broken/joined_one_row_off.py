"""Every fifth prompt was joined with the numbers of the next row."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Sums(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        numbers = [random.Random(n).sample(range(10, 99), 2) for n in range(40)]
        return [
            {"prompt": "What is {} + {}?".format(*numbers[n - 1 if n % 5 == 4 else n]), "a": a, "b": b}
            for n, (a, b) in enumerate(numbers)
        ]

    @reward
    def right(self, completion, a, b):
        return answer_text(completion).strip(" .") == str(a + b)

    def solve(self, row):
        return str(row["a"] + row["b"])
