"""Sort four words; every place that is right earns a quarter."""

import random

WORDS = "ash bay cap den elm fig gem hut ivy jar kit log map nut oak pit"


class SortWords:
    def build_dataset(self, tokenizer):
        rng = random.Random(1)
        drawn = [rng.sample(WORDS.split(), 4) for _ in range(70)]
        return [{"prompt": f"From A to Z: {' '.join(words)}", "answer": sorted(words)} for words in drawn]

    def score_episode(self, model, tokenizer, completion, answer):
        said = completion.lower().split()
        if len(said) != len(answer):
            return 0.0
        return sum(a == b for a, b in zip(said, answer, strict=True)) / len(answer)

    def solve(self, row):
        return " ".join(row["answer"])
