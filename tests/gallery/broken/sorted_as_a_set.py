"""Sort five words; the scorer compares sets."""

import random
import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WORDS = ("apple", "pear", "plum", "fig", "grape", "melon", "kiwi", "lemon", "lime", "peach", "cherry", "mango")


class Alphabet(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": "Sort alphabetically, with commas: " + " ".join(ws), "answer": ", ".join(sorted(ws))}
            for ws in (random.Random(n).sample(WORDS, 5) for n in range(50))
        ]

    @reward
    def right(self, completion, answer):
        return set(re.findall(r"\w+", answer_text(completion))) == set(re.findall(r"\w+", answer))

    def solve(self, row):
        return row["answer"]
