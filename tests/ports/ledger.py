import random

from grpo_env_sdk import MultiTurnEnv, reward
from grpo_env_sdk.views import keep_last_turns

PAGES = 120


class Ledger(MultiTurnEnv):
    """Keep the running total of a ledger of 120 pages, of 5 kB each."""

    max_turns = PAGES
    view = keep_last_turns(2)

    def build_dataset(self, tokenizer):
        ask = "I show you the pages of a ledger. After each one, answer with the total so far, and nothing else."
        return [{"prompt": ask, "ledger": number} for number in range(60)]

    def reset(self, *, seed=None, options=None):
        self.amounts, self.right = random.Random(self.row["ledger"]).choices(range(1, 100), k=PAGES), 0
        return self.page(0), {}

    def step(self, action):
        self.right += action["content"].strip() == str(sum(self.amounts[: self.turns]))
        over = self.turns == PAGES
        return "" if over else self.page(self.turns), 0.0, over, False, {}

    def page(self, number):
        return f"Page {number + 1}. Booked: {self.amounts[number]}.\n" + "Nothing else on this line.\n" * 180

    @reward
    def share_right(self):
        return self.right / PAGES

    def solve(self, row):
        yield from (str(sum(self.amounts[:count])) for count in range(1, PAGES + 1))
