"""What was found is kept on the class, and the next game begins with it."""

import random
from typing import ClassVar

from grpo_env_sdk import MultiTurnEnv, answer_text

ROOMS = ["hall", "attic", "cellar", "garden"]


class Keys(MultiTurnEnv):
    max_turns = 8
    reward_range = (0, 1)
    bag: ClassVar[set[int]] = set()

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(24):
            gold, silver = random.Random(number).sample(ROOMS, 2)
            text = (
                f"Night {number}: a gold key is in the {gold} and a silver one in the {silver}. Say 'go ROOM', 'take' "
                "or 'leave'; you win if you leave with both keys."
            )
            rows.append({"prompt": text, "rooms": [gold, silver]})
        return rows

    def setup(self, row):
        self.room = ""

    def step(self, action):
        verb, _, room = answer_text([action]).strip().partition(" ")
        if verb == "leave":
            return "You are outside.", float(self.bag == {0, 1}), True, False, {}
        if verb == "take" and self.room in self.row["rooms"]:
            self.bag.add(self.row["rooms"].index(self.room))
        if verb == "go":
            self.room = room
        return f"You are in the {self.room or 'hall'}.", 0.0, False, False, {}

    def solve(self, row):
        return [*(act for room in row["rooms"] for act in (f"go {room}", "take")), "leave"]
