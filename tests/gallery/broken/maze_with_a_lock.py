"""On some rows the exit is walled in; the lock in the instance cannot be copied."""

import threading

from grpo_env_sdk import MultiTurnEnv

WAYS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


class LockedMaze(MultiTurnEnv):
    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        prompt = "Maze {}: you are at 0,0 of three by three places, the exit is at 2,2. Say north, south, east or west."
        walls = [[[1, 2], [2, 1]] if n % 3 == 0 else [[1, 1], [n % 2, 2 - n % 2]] for n in range(15)]
        return [{"prompt": prompt.format(n), "walls": places} for n, places in enumerate(walls)]

    def setup(self, row):
        self.lock, self.at = threading.Lock(), [0, 0]

    def step(self, action):
        with self.lock:
            across, up = WAYS.get(action["content"].strip().lower(), (0, 0))
            to = [self.at[0] + across, self.at[1] + up]
            if to in self.row["walls"] or not all(0 <= place < 3 for place in to):
                return "A wall.", 0.0, False, False, {}
            self.at = to
            return f"You are at {to[0]},{to[1]}.", float(to == [2, 2]), to == [2, 2], False, {}
