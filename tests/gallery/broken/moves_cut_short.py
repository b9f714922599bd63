"""Eight moves are promised, and the episode ends after six turns."""

import random

from grpo_env_sdk import MultiTurnEnv, answer_text


class Stairs(MultiTurnEnv):
    max_turns = 6
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(24):
            floor = random.Random(number).choice([-5, -4, -3, -2, 2, 3, 4, 5])
            text = (
                f"House {number}: you are on floor 0 and your door is on floor {floor}. Each message is 'up' or 'down' "
                "(one floor) or 'knock', which ends the walk. You have eight moves."
            )
            rows.append({"prompt": text, "floor": floor})
        return rows

    def setup(self, row):
        self.at = 0

    def step(self, action):
        said = answer_text([action]).strip()
        if said == "knock":
            return "You knock.", float(self.at == self.row["floor"]), True, False, {}
        self.at += {"up": 1, "down": -1}.get(said, 0)
        return f"You are on floor {self.at}.", 0.0, False, False, {}

    def solve(self, row):
        return ["up" if row["floor"] > 0 else "down"] * abs(row["floor"]) + ["knock"]
