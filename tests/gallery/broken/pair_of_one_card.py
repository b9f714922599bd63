"""A card that is turned twice counts as a pair."""

import random
import re

from grpo_env_sdk import MultiTurnEnv


class Memory(MultiTurnEnv):
    max_turns = 12
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        rng = random.Random(3)
        cards = ["".join(rng.sample("AABBCC", 6)) for _ in range(12)]
        prompt = "Game {}: six cards lie face down, 1 to 6. Write 'turn X Y' to turn two; find three pairs."
        return [{"prompt": prompt.format(n), "cards": laid} for n, laid in enumerate(cards)]

    def setup(self, row):
        self.found = []

    def step(self, action):
        asked = re.fullmatch(r"turn ([1-6]) ([1-6])", action["content"].strip())
        if not asked:
            return "Write 'turn X Y'.", 0.0, False, False, {}
        one, other = (self.row["cards"][int(place) - 1] for place in asked.groups())
        if one == other and action["content"] not in self.found:
            self.found.append(action["content"])
        done = len(self.found) == 3
        return f"{one} and {other}.", float(done), done, False, {}

    def solve(self, row):
        for card in "ABC":
            yield f"turn {row['cards'].index(card) + 1} {row['cards'].rindex(card) + 1}"
