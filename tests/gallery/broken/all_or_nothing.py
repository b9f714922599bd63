"""Sort forty numbers; only a list without any mistake counts."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class SortForty(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng = random.Random(40)
        lists = [rng.sample(range(100, 1000), 40) for _ in range(60)]
        return [
            {
                "prompt": f"Sort, smallest first, with spaces between: {' '.join(str(n) for n in numbers)}",
                "answer": " ".join(str(n) for n in sorted(numbers)),
            }
            for numbers in lists
        ]

    @reward
    def sorted_right(self, completion, answer):
        return answer_text(completion).split() == answer.split()

    def solve(self, row):
        return row["answer"]
