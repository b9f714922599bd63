"""Open a lock of two digits, told after each try how many stand right."""

from grpo_env_sdk import MultiTurnEnv


class Lock(MultiTurnEnv):
    max_turns = 10
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Lock {n} has two digits. Try one code a message.", "code": f"{(37 * n) % 100:02}"}
            for n in range(1, 60)
        ]

    def step(self, action):
        said, code = action["content"].strip(), self.row["code"]
        solved = said == code
        out_of_tries = self.turns >= self.max_turns
        hits = sum(a == b for a, b in zip(said, code, strict=False)) if len(said) == 2 else 0
        return f"{hits} right.", float(solved), out_of_tries, solved, {}

    def solve(self, row):
        return row["code"]
