"""Two cards are to be chosen, and nobody looks whether they are two."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Cards(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(20):
            values = random.Random(n).sample(range(2, 60), 5)
            listed = "\n".join(f"{mark}. {value} points" for mark, value in zip("ABCDE", values, strict=True))
            asked = "Choose two different cards with as many points as possible: two letters, separated by a comma."
            rows.append({"prompt": f"On the table:\n{listed}\n{asked}", "values": values})
        return rows

    @reward
    def points(self, completion, values):
        chosen = [one.strip() for one in answer_text(completion).split(",")]
        if len(chosen) != 2 or not all(one in tuple("ABCDE") for one in chosen):
            return 0.0
        most = sum(sorted(values)[-2:])
        return min(1.0, sum(values["ABCDE".index(one)] for one in chosen) / most)

    def solve(self, row):
        best = sorted(sorted(range(5), key=lambda place: row["values"][place])[-2:])
        return ", ".join("ABCDE"[place] for place in best)
