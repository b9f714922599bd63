"""Questions were written in turns, true and false, and numbered."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Comparisons(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(60):
            rng = random.Random(n)
            a, b = sorted(rng.sample(range(100, 999), 2))
            first, second = (a, b) if n % 3 else (b, a)
            rows.append({"prompt": f"Question {n + 1}: is {first} larger than {second}? Yes or no?", "yes": n % 3 == 0})
        random.Random(5).shuffle(rows)
        return rows

    @reward
    def right(self, completion, yes):
        return answer_text(completion).strip(" .").lower() == ("yes" if yes else "no")

    def solve(self, row):
        return "yes" if row["yes"] else "no"
