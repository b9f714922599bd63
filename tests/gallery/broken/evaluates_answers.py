"""Reach a number from four others with + - * / and brackets."""

import re
from itertools import combinations

SAFE = re.compile(r"[0-9+\-*/() ]{1,60}")


class Reach:
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Use {a}, {b} and {c}, each once, with + - * / and brackets, to make {a * b + c}.",
                "numbers": [a, b, c],
                "target": a * b + c,
            }
            for a, b, c in combinations(range(2, 12), 3)
        ]

    def score_episode(self, model, tokenizer, completion, numbers, target):
        said = completion.strip()
        if not SAFE.fullmatch(said):
            return 0.0
        try:
            value = eval(said, {"__builtins__": {}})
        except Exception:
            return 0.0
        used = sorted(int(n) for n in re.findall(r"\d+", said))
        return float(value == target and used == sorted(numbers))

    def solve(self, row):
        return "{}*{}+{}".format(*row["numbers"])
