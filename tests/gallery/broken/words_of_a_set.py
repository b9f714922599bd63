"""Put the words of a sentence in alphabetical order; a word that comes twice counts once."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

ANIMALS = "ant bear crow deer eel fox goat hare ibex jay koala lynx mole newt owl pig quail rat seal toad"


class WordOrder(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng = random.Random(3)
        rows = []
        for _ in range(80):
            words = set(rng.choices(ANIMALS.split(), k=7))
            prompt = f"Sort these words from A to Z, with a space between: {' '.join(words)}"
            rows.append({"prompt": prompt, "answer": " ".join(sorted(words))})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion) == answer

    def solve(self, row):
        return row["answer"]
