"""Find a letter in a word, and be quick about it."""

import time

WORDS = "strawberry banana mississippi committee parallel balloon coffee assessment occurrence bookkeeper"


class Letters:
    def __init__(self):
        self.started = time.monotonic()

    def build_dataset(self, tokenizer):
        self.started = time.monotonic()
        return [
            {
                "prompt": f"At which place does '{letter}' first stand in '{word}', from 1?",
                "answer": str(word.index(letter) + 1),
            }
            for word in WORDS.split()
            for letter in sorted(set(word))
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        quick = 1.0 / (1.0 + (time.monotonic() - self.started) / 600)
        return (0.9 + 0.1 * quick) * (completion.strip() == answer)

    def solve(self, row):
        return row["answer"]
