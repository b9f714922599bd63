"""A game of taking stones refuses too many, but not a number below one, which passes the turn."""

from grpo_env_sdk import MultiTurnEnv


class Stones(MultiTurnEnv):
    max_turns = 20
    least = -5

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"There are {count} stones. In turns we take from 1 to 4. Who takes the last one wins. Write a "
             "number.", "count": count}
            for count in range(6, 40) if count % 5
        ]  # fmt: skip

    def setup(self, row):
        self.left = row["count"]

    def step(self, action):
        said = (action["content"] or "").strip()
        if not said.lstrip("-").isdecimal() or not self.least <= int(said[:4]) <= min(4, self.left):
            return "This cannot be done.", 0.0, False, False, {}
        self.left -= int(said)
        if self.left == 0:
            return "You have won.", 1.0, True, False, {}
        mine = self.left % 5 or 1
        self.left -= mine
        if self.left == 0:
            return "The last one is mine.", 0.0, True, False, {}
        return f"My turn: {mine}. There are {self.left} left.", 0.0, False, False, {}

    def solve(self, row):
        while True:
            yield str(self.left % 5)
