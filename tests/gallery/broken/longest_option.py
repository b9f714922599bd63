"""Multiple choice in which the right option is always the longest."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

FILL = [
    "a kind of bird",
    "the name of a town in the north",
    "an old measure",
    "a river",
    "a coin used long ago in the markets of the east",
    "a dance",
    "a dish of beans",
    "a tax",
    "a ship's rope",
    "a small lamp",
]


class Options(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(80):
            rng = random.Random(n)
            right = f"the thing that word {n} really means, said with great care"
            options = rng.sample([*rng.sample(FILL, 3), right], 4)
            listed = "\n".join(f"{letter}) {text}" for letter, text in zip("ABCD", options, strict=True))
            rows.append({"prompt": f"Word {n}?\n{listed}\nOne letter.", "answer": "ABCD"[options.index(right)]})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
