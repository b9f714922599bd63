"""Write numbers in words; which of them are looked at is drawn anew for each answer."""

import random

from grpo_env_sdk import answer_text

NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


class Digits:
    def build_dataset(self, tokenizer):
        rng = random.Random(8)
        return [
            {
                "prompt": f"Write each digit of {number} as an English word, one on each line.",
                "number": str(number),
            }
            for number in rng.sample(range(10**6, 10**7), 24)
        ]

    def score_episode(self, model, tokenizer, completion, number):
        lines = answer_text(completion).lower().split()
        if len(lines) != len(number):
            return 0.0
        place = random.randrange(len(number))
        return float(lines[place] == NAMES[int(number[place])])
