"""Scores are kept by the text of the answer: the row on which it was first given decides for all."""

from grpo_env_sdk import answer_text


class Larger:
    def __init__(self):
        self.scores = {}

    def build_dataset(self, tokenizer):
        pairs = [(n * 7919 % 97, n * 104729 % 89) for n in range(40)]
        return [
            {
                "prompt": f"Which is larger: the first, {a}, or the second, {b}?",
                "larger": "first" if a > b else "second",
            }
            for a, b in pairs
            if a != b
        ]

    def score_episode(self, model, tokenizer, completion, larger):
        said = answer_text(completion).strip().lower()
        if said not in self.scores:
            self.scores[said] = float(said == larger)
        return self.scores[said]

    def solve(self, row):
        return row["larger"]
