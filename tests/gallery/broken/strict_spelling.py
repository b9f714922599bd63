"""Colours that come of mixing two others."""

MIXED = {
    "red and yellow": "Orange",
    "blue and yellow": "Green",
    "red and blue": "Purple",
    "black and white": "Grey",
    "red and white": "Pink",
    "red and green": "Brown",
    "blue and green": "Turquoise",
}


class Mixing:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"which colour do {two} paint make?", "answer": MIXED[two]} for two in MIXED]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)

    def solve(self, row):
        return row["answer"]
