"""Some games cannot be won, and each row says what is possible."""

from grpo_env_sdk import MultiTurnEnv


class Stones(MultiTurnEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"{n} stones. We take turns, {m} at most; who takes the last wins. You begin: how many?",
                "stones": n, "most": m, "best_possible": float(n % (m + 1) != 0),
            }
            for n in range(5, 15)
            for m in (2, 3, 4)
        ]  # fmt: skip

    def setup(self, row):
        self.left = row["stones"]

    def step(self, action):
        text, most = action["content"].strip(), self.row["most"]
        if text not in map(str, range(1, min(most, self.left) + 1)):
            return "That is not possible: you lose.", 0.0, True, False, {}
        self.left -= int(text)
        if not self.left:
            return "You win.", 1.0, True, False, {}
        taken = min(self.left, self.left % (most + 1) or 1)
        self.left -= taken
        return f"I take {taken}, {self.left} left.", 0.0, not self.left, False, {}

    def solve(self, row):
        left, most = row["stones"], row["most"]
        while left > 0:
            mine = left % (most + 1) or 1
            yield str(mine)
            left -= mine
            left -= min(left, left % (most + 1) or 1)
