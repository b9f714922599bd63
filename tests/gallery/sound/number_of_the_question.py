"""Ids and numbers that have nothing to do with the answers, and answers that two rows may share."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Perimeters(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(40):
            rng = random.Random(n)
            a, b = rng.randint(2, 30), rng.randint(2, 30)
            side = rng.choice(["longer", "wider"])
            asked = f"A garden is {a} m long and {b} m wide. Is it {side}?"
            right = a > b if side == "longer" else b > a
            rows.append({"prompt": f"[geometry {n}-{rng.randint(10, 99)}] {asked}", "yes": right})
        return rows

    @reward
    def right(self, completion, yes):
        return answer_text(completion).strip(" .").lower() == ("yes" if yes else "no")

    def solve(self, row):
        return "Yes." if row["yes"] else "No."
