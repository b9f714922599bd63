"""An environment that takes a moment, so that a run of it can be interrupted."""

import time


class Slow:
    parallel = True

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {n}.", "n": n} for n in range(50)]

    def score_episode(self, model, tokenizer, completion, n):
        time.sleep(0.05)
        return float(completion == str(n))

    def solve(self, row):
        return str(row["n"])
