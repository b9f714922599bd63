"""Nim against an opponent who moves at random, always alike for one row."""

from grpo_env_sdk import MultiTurnEnv


class Nim(MultiTurnEnv):
    """Take 1, 2 or 3 matches in turn; whoever takes the last one wins."""

    max_turns = 12
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"{n} matches lie there. Take 1, 2 or 3; whoever takes the last wins.", "matches": n}
            for n in range(5, 36)
            if n % 4
        ]

    def setup(self, row):
        self.left = row["matches"]

    def step(self, action):
        said = action["content"].strip()
        if said not in ("1", "2", "3") or int(said) > self.left:
            return "That is no move.", 0.0, True, False, {}
        self.left -= int(said)
        if self.left == 0:
            return "You win.", 1.0, True, False, {}
        taken = int(self.np_random.integers(1, min(3, self.left) + 1))
        self.left -= taken
        return f"I take {taken}. {self.left} are left.", 0.0, self.left == 0, False, {}

    def solve(self, row):
        left = row["matches"]
        while True:
            answered = yield str(left % 4 or 1)
            left = int(answered[-1]["content"].split()[3])
