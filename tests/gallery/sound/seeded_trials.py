"""Write a formula; it is tried on numbers that are drawn at random, always alike for one row."""

import random
import re

TERM = re.compile(r"([0-9]{1,3})\*n([+-])([0-9]{1,3})")


class Formulas:
    parallel = True

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"A formula for {a + b}, {2 * a + b}, {3 * a + b}, ... with n from 1, written as 2*n+1?",
                "slope": a,
                "start": b,
            }
            for a in range(2, 9)
            for b in range(1, 8)
        ]

    def score_episode(self, model, tokenizer, completion, slope, start):
        found = TERM.fullmatch(completion.strip().replace(" ", ""))
        if not found:
            return 0.0
        a, b = int(found[1]), int(found[2] + found[3])
        rng = random.Random(f"{slope}/{start}")
        trials = [rng.randint(1, 10**6) for _ in range(20)]
        return float(all(a * n + b == slope * n + start for n in trials))

    def solve(self, row):
        return f"{row['slope']}*n+{row['start']}"
