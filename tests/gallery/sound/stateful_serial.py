"""A scorer that works on one list of its own and says that it must be called one at a time."""


class Countdown:
    parallel = False

    def __init__(self):
        self.left = []

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Count down from {n} to 1, with spaces.", "start": n} for n in range(3, 30)]

    def score_episode(self, model, tokenizer, completion, start):
        self.left.clear()
        self.left.extend(str(n) for n in range(start, 0, -1))
        for word in completion.split():
            if not self.left or self.left.pop(0) != word:
                return 0.0
        return float(not self.left)

    def solve(self, row):
        return " ".join(str(n) for n in range(row["start"], 0, -1))
