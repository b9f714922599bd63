"""Translate five words at once; each right one earns a part."""

import random

SPANISH = {
    "dog": "perro",
    "cat": "gato",
    "house": "casa",
    "bread": "pan",
    "water": "agua",
    "moon": "luna",
    "book": "libro",
    "hand": "mano",
    "tree": "arbol",
    "milk": "leche",
    "door": "puerta",
    "fire": "fuego",
}


class FiveWords:
    def build_dataset(self, tokenizer):
        rng = random.Random(5)
        drawn = [rng.sample(list(SPANISH), 5) for _ in range(60)]
        return [
            {
                "prompt": f"In Spanish, without accents, with spaces between: {' '.join(words)}",
                "answer": [SPANISH[word] for word in words],
            }
            for words in drawn
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        said = completion.lower().split()
        if len(said) != len(answer):
            return 0.0
        return float(sum(a == b for a, b in zip(said, answer, strict=True)) // len(answer))

    def solve(self, row):
        return " ".join(row["answer"])
