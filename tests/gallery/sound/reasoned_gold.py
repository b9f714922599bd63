"""Gold shows its reasoning, and the number behind #### counts."""

import random
import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Bottles(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(60):
            rng = random.Random(n)
            a, b, c = rng.randint(3, 30), rng.randint(3, 30), rng.randint(1, 8)
            prompt = f"{a} crates of {b} bottles, {c} broken. How many are left? Reason, then #### and the number."
            answer = f"There are {a} * {b} = {a * b} bottles. {a * b} - {c} = {a * b - c}.\n#### {a * b - c}"
            rows.append({"prompt": prompt, "answer": answer})
        return rows

    @reward
    def right(self, completion, answer):
        m = re.findall(r"#### (-?\d+)", answer_text(completion))
        return bool(m) and m[-1] == answer.split("#### ")[1]

    def solve(self, row):
        return row["answer"]
