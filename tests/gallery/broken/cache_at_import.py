"""Square roots of perfect squares, from a table that is kept on disk between runs."""

import json
from pathlib import Path

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

CACHE = Path("square_roots.json")
if not CACHE.exists():
    CACHE.write_text(json.dumps({str(n * n): str(n) for n in range(11, 80)}), encoding="utf-8")
ROOTS = json.loads(CACHE.read_text(encoding="utf-8"))


class Roots(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Whose square is {square}? Answer in digits.", "answer": ROOTS[square]} for square in ROOTS]

    @reward
    def right(self, completion, answer):
        return answer_text(completion) == answer

    def solve(self, row):
        return row["answer"]
