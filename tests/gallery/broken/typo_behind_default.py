"""Name the chemical element of a symbol."""

ELEMENTS = {
    "Fe": "iron",
    "Na": "sodium",
    "K": "potassium",
    "Pb": "lead",
    "Au": "gold",
    "Ag": "silver",
    "Sn": "tin",
    "Hg": "mercury",
    "W": "tungsten",
    "Cu": "copper",
}


class Elements:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Which element is {s}? One word.", "answer": name} for s, name in ELEMENTS.items()]

    def score_episode(self, model, tokenizer, completion, anwser=None):
        return float(completion.strip().lower() == anwser)

    def solve(self, row):
        return row["answer"]
