"""Plurals of English nouns."""

PLURALS = {
    "mouse": "mice",
    "goose": "geese",
    "child": "children",
    "ox": "oxen",
    "leaf": "leaves",
    "city": "cities",
    "box": "boxes",
    "foot": "feet",
    "hero": "heroes",
    "knife": "knives",
    "baby": "babies",
    "wolf": "wolves",
}


class Plurals:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"The plural of '{one}'? One word.", "answer": many} for one, many in PLURALS.items()]

    def score_episode(self, model, tokenizer, completion, target):
        return float(completion.strip().lower() == target)

    def solve(self, row):
        return row["answer"]
