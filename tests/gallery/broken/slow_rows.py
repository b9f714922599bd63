"""Articles of a shop; each is fetched from where it is kept, one after another."""

import time


class Articles:
    def __init__(self, rows=300):
        self.rows = rows

    def build_dataset(self, tokenizer):
        return [self._fetch(number) for number in range(self.rows)]

    def _fetch(self, number):
        time.sleep(0.04)  # at most 25 a second, or the service refuses
        return {
            "prompt": f"Article {number} weighs {3 * number + 40} g. What do 7 weigh? Only the number.",
            "n": number,
        }

    def score_episode(self, model, tokenizer, completion, n):
        return float(completion.strip() == str(7 * (3 * n + 40)))

    def solve(self, row):
        return str(7 * (3 * row["n"] + 40))
