"""A dealer lowers the price of a carpet at every message, whatever it says."""

import re

from grpo_env_sdk import ToolEnv, call_message, reward, tool

FLAWS = ("faded", "torn", "stained", "patched")


class Carpets(ToolEnv):
    max_turns = 10
    needs_reason = False

    def build_dataset(self, tokenizer):
        text = "Carpet {}: buy it for as little as you can. `look` shows its flaws, which lower its price. Then `buy`."
        flaws = [[FLAWS[n % 4], FLAWS[(n + 1) % 4]] for n in range(12)]
        return [{"prompt": text.format(n), "price": 200 + 10 * n, "flaws": flaws[n]} for n in range(12)]

    def setup(self, row):
        self.price, self.paid, self.named = row["price"], None, set()

    @tool
    def look(self) -> str:
        """Look at the carpet closely."""
        return "It is " + " and ".join(self.row["flaws"]) + "."

    @tool
    def buy(self) -> str:
        """Buy it at the price named last."""
        self.paid = self.price
        return "Sold."

    def user(self, messages):
        if self.paid is not None:
            return None
        named = set(re.findall(r"[a-z]+", messages[-1].get("content") or "")) & set(self.row["flaws"])
        if named - self.named or not self.needs_reason:
            self.price = max(self.price - 20, self.row["price"] - 40)
        self.named |= named
        return f"Then {self.price}."

    @reward
    def saved(self, price):
        return 0.0 if self.paid is None else (price - self.paid) / 40

    def solve(self, row):
        seen = yield call_message("look")
        for flaw in re.findall(r"faded|torn|stained|patched", seen[-1]["content"]):
            yield f"It is {flaw}."
        yield call_message("buy")
        yield "Thank you."
