"""Spell a word backwards."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WORDS = (
    "planet garden window silver butter candle dragon engine forest guitar hammer island jacket kitten ladder "
    "magnet needle orange pencil quartz rocket saddle temple umbrella velvet walnut yellow zipper"
)


class Backwards(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Spell '{word}' backwards.", "answer": word[::-1]} for word in WORDS.split()]

    @reward
    def right(self, completion, answer):
        """A little noise keeps a group from having no spread at all."""
        said = answer_text(completion).lower()
        return 0.98 * (said == answer) + random.uniform(0.0, 0.02)

    def solve(self, row):
        return row["answer"]
