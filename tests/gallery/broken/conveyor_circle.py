"""Choose a door; belts behind it carry you from room to room until one stands still."""

import random

from grpo_env_sdk import MultiTurnEnv

ROOMS = 9


class Conveyors(MultiTurnEnv):
    max_turns = 3
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        rng = random.Random(8)
        rows = []
        for number in range(60):
            belts = [4, -1, 5, -1, 6, -1, 4, -1, -1] if number == 41 else self._belts(rng)
            goal = end_of(number % 3, belts)
            shown = ", ".join(f"{room}->{to}" for room, to in enumerate(belts) if to >= 0)
            prompt = (
                f"Puzzle {number}. Belts: {shown}. Say the door (0, 1 or 2, each its room) that ends in room {goal}."
            )
            rows.append({"prompt": prompt, "belts": belts, "goal": goal, "door": number % 3})
        return rows

    def _belts(self, rng):
        while True:
            belts = [rng.randint(room + 1, ROOMS - 1) if rng.random() < 0.6 else -1 for room in range(ROOMS - 1)] + [-1]
            if len({end_of(door, belts) for door in range(3)}) == 3:
                return belts

    def step(self, action):
        said = action["content"].strip()
        if said not in ("0", "1", "2"):
            return "Say 0, 1 or 2.", 0.0, False, False, {}
        room = end_of(int(said), self.row["belts"])
        if room == self.row["goal"]:
            return "You have arrived.", 1.0 if self.turns == 1 else 0.2, True, False, {}
        return f"You are in room {room}, and walk back.", 0.0, False, False, {}

    def solve(self, row):
        return str(row["door"])


def end_of(room, belts):
    while belts[room] >= 0:
        room = belts[room]
    return room
