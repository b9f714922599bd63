"""Walk along a corridor to a door; each answer repeats what has happened so far."""

from grpo_env_sdk import MultiTurnEnv


class Corridor(MultiTurnEnv):
    max_turns = 14
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"You stand at door {start} of 1 to 12. Go to door {goal}: say left or right.",
                "start": start,
                "goal": goal,
            }
            for start in (2, 5, 9)
            for goal in range(1, 13)
            if goal != start
        ]

    def setup(self, row):
        self.place = row["start"]
        self.log = []

    def step(self, action):
        move = {"left": -1, "right": 1}.get(action["content"].strip().lower(), 0)
        self.place = min(12, max(1, self.place + move))
        there = self.place == self.row["goal"]
        observation = "\n".join([*self.log, f"You are at door {self.place}."])
        self.log.append(observation)
        return observation, float(there), there, False, {}

    def solve(self, row):
        distance = row["goal"] - row["start"]
        return ["right" if distance > 0 else "left"] * abs(distance)
