"""Totals of a bill in euros."""


class Totals:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"{n} cakes at {cents / 100} euros each: the total in euros?", "answer": str(n * cents / 100)}
            for n in range(2, 9)
            for cents in (115, 125, 145, 150, 185)
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip() == f"{float(answer):.2f}")

    def solve(self, row):
        return row["answer"]
