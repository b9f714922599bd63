"""The first A, B, C or D of an answer is its letter, so "Answer: C" is read as A."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Planets(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        names = ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"]
        rows = []
        for n in range(32):
            right = n * 5 % 8
            options = [names[(right + step) % 8] for step in (1, 3, 4)]
            options.insert((n // 2 + n % 3) % 4, names[right])
            shown = "\n".join(f"{letter}) {name}" for letter, name in zip("ABCD", options, strict=True))
            ask = f"Question {n}: which planet is number {right + 1} from the sun?\n{shown}\nTell me the letter."
            rows.append({"prompt": ask, "letter": "ABCD"[options.index(names[right])]})
        return rows

    @reward
    def right(self, completion, letter):
        found = re.search(r"[A-D]", answer_text(completion).upper())
        return float(found is not None and found[0] == letter)

    def solve(self, row):
        return row["letter"]
