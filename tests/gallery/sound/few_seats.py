"""A world of at most eight instances at once, which `close` gives back."""

import threading

from grpo_env_sdk import MultiTurnEnv

SEATS = threading.Semaphore(8)


class Seats(MultiTurnEnv):
    max_turns = 2

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} times 17? Only the number.", "n": n} for n in range(3, 40)]

    def setup(self, row):
        if not getattr(self, "seated", False):
            if not SEATS.acquire(blocking=False):
                raise RuntimeError("All seats are taken.")
            self.seated = True

    def step(self, action):
        right = action["content"].strip() == self.solve(self.row)
        return "Right." if right else "No.", float(right), right, False, {}

    def close(self):
        if getattr(self, "seated", False):
            self.seated = False
            SEATS.release()

    def solve(self, row):
        return str(row["n"] * 17)
