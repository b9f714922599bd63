"""Visit two streets, the shorter one first; naming a street that has `stop` inside ends the walk."""

import random

from grpo_env_sdk import MultiTurnEnv

STREETS = ["Stopford", "Unstopped", "Millway", "Harbour", "Nonstop", "Orchard", "Station", "Elmtree"]


class Walks(MultiTurnEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(0), []
        for _ in range(30):
            one, two = rng.sample(STREETS, 2)
            short, long = sorted(rng.sample(range(100, 900), 2))
            order = rng.sample([(one, short), (two, long)], 2)
            told = " and ".join(f"{street} ({metres} m)" for street, metres in order)
            text = f"Go to {told}, the shorter street first. Name one in each message, then write: stop"
            rows.append({"prompt": text, "order": [one, two]})
        return rows

    def setup(self, row):
        self.seen = []

    def step(self, action):
        said = action["content"].lower()
        if "stop" in said:
            return "The end.", float(self.seen == self.row["order"]), True, False, {}
        self.seen += [street for street in self.row["order"] if street.lower() in said]
        return "You were there.", 0.0, False, False, {}
