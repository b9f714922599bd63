"""Estimates; within five percent is right, so a number may change in its last digits."""

import math
import re


class Distances:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"About how many metres does light travel in {n} microseconds? Only the number.", "n": n}
            for n in range(60)
        ]

    def score_episode(self, model, tokenizer, completion, n):
        said = completion.strip()
        if not re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{0,6})?", said):
            return 0.0
        return float(math.isclose(float(said), 300 * n, rel_tol=0.05))

    def solve(self, row):
        return str(300 * row["n"])
