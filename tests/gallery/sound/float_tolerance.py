"""Circles; an answer within one percent is right."""

import math
import re


class Circles:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"The area of a circle of radius {r}? Only the number.", "radius": r} for r in range(2, 60)]

    def score_episode(self, model, tokenizer, completion, radius):
        said = completion.strip()
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,12})?", said):
            return 0.0
        return float(math.isclose(float(said), math.pi * radius**2, rel_tol=0.01))

    def solve(self, row):
        return f"{math.pi * row['radius'] ** 2:.2f}"
