"""Buying minus a hundred apples brings coins."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Market(ToolEnv):
    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"You have {50 + n} coins. Apples cost 3; the market pays 5, for four at most. Profit!",
                "coins": 50 + n,
            }
            for n in range(30)
        ]

    def setup(self, row):
        self.coins, self.apples, self.sold = row["coins"], 0, 0

    @tool
    def buy(self, count: int) -> str:
        """Buy apples.

        Args:
            count: How many.
        """
        if self.coins < 3 * count:
            return "Not enough coins."
        self.coins -= 3 * count
        self.apples += count
        return f"You have {self.coins} coins and {self.apples} apples."

    @tool
    def sell(self, count: int) -> str:
        """Sell apples.

        Args:
            count: How many.
        """
        if count > self.apples or self.sold + count > 4:
            return "Not possible."
        self.coins += 5 * count
        self.apples -= count
        self.sold += count
        return f"You have {self.coins} coins and {self.apples} apples."

    @reward
    def profit(self, coins):
        return max(0.0, min(1.0, (self.coins - coins) / 8))

    def solve(self, row):
        yield call_message("buy", count=4)
        yield call_message("sell", count=4)
        yield "Done."
