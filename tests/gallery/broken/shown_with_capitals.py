"""The prompt offers Yes and No, and only small letters are right."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Primes(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(30):
            number = random.Random(n).choice([11, 13, 17, 19, 23, 29, 31, 15, 21, 25, 27, 33, 35, 39])
            prime = all(number % d for d in range(2, number))
            rows.append({"prompt": f"({n}) Is {number} a prime number? Yes or No?", "answer": prime})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == ("yes" if answer else "no")

    def solve(self, row):
        return "yes" if row["answer"] else "no"
