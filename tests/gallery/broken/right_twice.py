"""Wrong options are drawn near the right one, and now and then are it."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Products(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(5), []
        for n in range(40):
            a, b = rng.randint(3, 12), rng.randint(3, 12)
            options = [a * b + rng.randint(-3, 3) for _ in range(4)]
            place = rng.randrange(4)
            options[place] = a * b
            listed = "\n".join(f"{mark}) {value}" for mark, value in zip("ABCD", options, strict=True))
            rows.append(
                {"prompt": f"({n + 1}) {a} times {b}?\n{listed}\nAnswer with a letter.", "answer": "ABCD"[place]}
            )
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
