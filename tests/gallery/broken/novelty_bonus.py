"""Say a number as a sum of two others; an answer that nobody gave before earns its full point."""

import re


class Splits:
    def __init__(self):
        self.seen = set()

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Write {n} as a sum of two numbers above 9, as in 12+34.", "n": n} for n in range(30, 110)]

    def score_episode(self, model, tokenizer, completion, n):
        found = re.fullmatch(r"\s*([0-9]{2,4})\s*\+\s*([0-9]{2,4})\s*", completion)
        if not found or int(found[1]) + int(found[2]) != n or min(int(found[1]), int(found[2])) < 10:
            return 0.0
        bonus = 0.0 if completion in self.seen else 0.2
        self.seen.add(completion)
        return 0.8 + bonus

    def solve(self, row):
        return f"10+{row['n'] - 10}"
