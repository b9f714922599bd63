"""Spell a word letter by letter; each right letter pays."""

from grpo_env_sdk import MultiTurnEnv

WORDS = "cat horse banana giraffe dolphin ox penguin zebra kangaroo mouse"


class Spelling(MultiTurnEnv):
    max_turns = 12
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Spell {word!r}, one letter a message.", "word": word} for word in WORDS.split()]

    def setup(self, row):
        self.place = 0

    def step(self, action):
        if action["content"].strip().lower() != self.row["word"][self.place]:
            return "No.", 0.0, True, False, {}
        self.place += 1
        return "Next.", 0.2, self.place == len(self.row["word"]), False, {}

    def solve(self, row):
        return list(row["word"])
