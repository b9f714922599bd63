"""Multiple choice in which one option is a sentence, the right one, and some of the others are a word."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

SHORT = ("dust", "a tax", "the wind", "an old song", "luck", "a bank fee", "two rivers", "a stage play")


class Sentences(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(60):
            rng = random.Random(n)
            right = f"what was written of it in the book of year {1500 + n}"
            options = rng.sample([rng.choice(SHORT[::4]), *rng.sample(SHORT[1:4] + SHORT[5:], 2), right], 4)
            listed = "\n".join(f"{letter}. {text}" for letter, text in zip("ABCD", options, strict=True))
            rows.append({"prompt": f"What is thing {n}?\n{listed}\nA letter.", "answer": "ABCD"[options.index(right)]})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip(" .") == answer

    def solve(self, row):
        return row["answer"]
