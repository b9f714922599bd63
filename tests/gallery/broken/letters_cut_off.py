"""Letters are cut off after 160 characters, so that what is asked may be missing."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

LINES = (
    "The heating has been cold since Monday.", "My neighbour has the same trouble.", "I am at home every evening.",
    "Please call before you come.", "The stairs are being painted.", "The last bill was far too high.",
)  # fmt: skip


class Letters(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(8), []
        for n in range(36):
            flat = 100 + 7 * n
            letter = " ".join([*rng.sample(LINES, 2 + n % 4), f"I live in flat {flat}."])
            rows.append({"prompt": f"Which flat is it, or unknown?\n{letter[:160]}", "answer": self.told(letter)})
        return rows

    def told(self, letter):
        return letter[:160].partition("flat ")[2][:3] or "unknown"

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
