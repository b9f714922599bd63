"""Money is moved between accounts, and who gets more than was asked for has got it too."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"]


class Bank(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(6), []
        for number in range(30):
            source, target = rng.sample(NAMES, 2)
            amount = rng.randint(11, 80)
            prompt = f"Order {number + 100}: move {amount} euros from {source} to {target}. Each account has 100."
            rows.append({"prompt": prompt, "source": source, "target": target, "amount": amount})
        return rows

    def setup(self, row):
        self.accounts = dict.fromkeys(NAMES, 100)

    @tool
    def transfer(self, source: str, target: str, euros: int) -> str:
        """Move money from one account to another.

        Args:
            source: Whose account it is taken from.
            target: Whose account gets it.
            euros: How much.
        """
        if source not in self.accounts or target not in self.accounts:
            return f"Nobody here is called {source} or {target}: {', '.join(NAMES)}."
        if not 0 < euros <= self.accounts[source]:
            return f"{source} has {self.accounts[source]} euros."
        self.accounts[source] -= euros
        self.accounts[target] += euros
        return f"{target} has {self.accounts[target]} euros now."

    @reward
    def moved(self, source, target, amount):
        return self.accounts[target] >= 100 + amount and self.accounts[source] < 100

    def solve(self, row):
        yield call_message("transfer", source=row["source"], target=row["target"], euros=row["amount"])
        yield "Done."
