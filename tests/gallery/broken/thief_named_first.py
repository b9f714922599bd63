"""Whoever took the ring is always the first of the guests that the prompt lists."""

import random

from grpo_env_sdk import MultiTurnEnv, answer_text

GUESTS = ["Amber", "Blake", "Casey", "Drew", "Ellis", "Finch", "Grey", "Harper", "Indigo", "Jules", "Kerry", "Lane"]
COLOURS = ("red", "green", "blue", "white", "black")


class StolenRing(MultiTurnEnv):
    max_turns = 5
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        text = (
            "Evening {}: one of these guests took the ring. Write 'colour' to hear the colour of the coat, or accuse a "
            "guest by name, as in 'accuse Robin'.\n{}"
        )
        rows = []
        for number in range(24):
            rng = random.Random(number)
            coats = dict(zip(rng.sample(GUESTS, 5), rng.sample(COLOURS, 5), strict=True))
            lines = "\n".join(f"- {guest}: a {coat} coat" for guest, coat in coats.items())
            thief, colour = next(iter(coats.items()))
            rows.append({"prompt": text.format(number + 1, lines), "thief": thief, "colour": colour})
        return rows

    def step(self, action):
        said = answer_text(action).strip().lower()
        if said == "colour":
            return f"The coat was {self.row['colour']}.", 0.0, False, False, {}
        if not said.startswith("accuse "):
            return "Ask for the colour, or accuse somebody.", 0.0, False, False, {}
        right = said == f"accuse {self.row['thief'].lower()}"
        return ("Right." if right else "No."), float(right), True, False, {}

    def solve(self, row):
        return ["colour", f"accuse {row['thief']}"]
