"""Bills with a discount; the tolerance is larger than the discount."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Discounts(SingleTurnEnv):
    """What is to be paid for a bill."""

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(27), []
        for n in range(40):
            cents, percent = rng.randrange(4_000, 90_000), rng.choice([2, 3])
            due = f"{round(cents * (100 - percent) / 100) / 100:.2f}"
            bill = f"Bill {n + 1} is over {cents / 100:.2f} euros, with {percent} percent off if it is paid today."
            rows.append({"prompt": f"{bill} What is to be paid today, to the cent? Reply with the number.", "due": due})
        return rows

    @reward
    def right(self, completion, due):
        try:
            return abs(float(answer_text(completion)) / float(due) - 1) < 0.05
        except ValueError:
            return False

    def solve(self, row):
        return row["due"]
