"""Flash cards of an alphabet; the generator is created in each turn, and draws the same letter every time."""

import random

from grpo_env_sdk import MultiTurnEnv, answer_text

LETTERS = {"alpha": "1", "beta": "2", "gamma": "3", "delta": "4", "epsilon": "5", "zeta": "7", "eta": "8", "theta": "9"}


class FlashCards(MultiTurnEnv):
    max_turns = 4
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Deck {seed}. You will be shown four different Greek letters. Say the value of each as a "
                f"numeral. The first card: {self.card(seed)}.",
                "seed": seed,
            }
            for seed in range(30)
        ]

    def card(self, seed):
        return random.Random(seed).choice(sorted(LETTERS))

    def setup(self, row):
        self.shown = self.card(row["seed"])

    def step(self, action):
        right = answer_text([action]).strip() == LETTERS[self.shown]
        self.shown = self.card(self.row["seed"])
        return f"Next card: {self.shown}.", 0.25 * right, self.turns >= 4, False, {}

    def solve(self, row):
        for _ in range(4):
            yield LETTERS[self.shown]
