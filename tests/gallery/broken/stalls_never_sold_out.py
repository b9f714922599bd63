"""Stalls that compare each sale with all that they had in the morning, however much was bought before."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

STALLS = ["bridge", "church", "fountain"]


class Market(ToolEnv):
    max_turns = 9

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(24):
            rng = random.Random(number)
            prices, has = rng.sample(range(2, 12), 3), [rng.randint(20, 40) for _ in STALLS]
            wanted = has[prices.index(min(prices))] + rng.randint(5, 15)
            stalls = {
                name: {"price": price, "has": count} for name, price, count in zip(STALLS, prices, has, strict=True)
            }
            prompt = (
                f"Market day {number + 1}: buy {wanted} apples as cheaply as you can. Stalls are at the bridge, the "
                "church and the fountain; look at each."
            )
            rows.append({"prompt": prompt, "wanted": wanted, "stalls": stalls})
        return rows

    def setup(self, row):
        self.left = {name: one["has"] for name, one in row["stalls"].items()}
        self.bought, self.spent = 0, 0

    @tool
    def show_stall(self, stall: str) -> dict:
        """Show the price and the apples of a stall.

        Args:
            stall: Where it is.
        """
        return self.row["stalls"].get(stall, {"error": "no stall there"})

    def sold(self, stall, apples):
        """Count what was sold."""

    @tool
    def buy(self, stall: str, apples: int) -> str:
        """Buy apples.

        Args:
            stall: Where it is.
            apples: How many.
        """
        if not 0 < apples <= self.left.get(stall, 0):
            return f"Refused: the stall has only {self.left.get(stall, 0)}."
        self.sold(stall, apples)
        self.bought, self.spent = self.bought + apples, self.spent + apples * self.row["stalls"][stall]["price"]
        return "Here you are."

    @reward
    def cheap(self, wanted, stalls):
        plan = self.plan(self.row)
        least = sum(count * stalls[name]["price"] for name, count in plan)
        return min(1.0, least / max(1, self.spent)) if self.bought == wanted else 0.0

    def plan(self, row):
        left, found = row["wanted"], []
        for name in sorted(STALLS, key=lambda name: row["stalls"][name]["price"]):
            found += [(name, min(left, row["stalls"][name]["has"]))] if left else []
            left -= found[-1][1] if left else 0
        return found

    def solve(self, row):
        looks = [call_message("show_stall", stall=name) for name in STALLS]
        return [*looks, *(call_message("buy", stall=name, apples=count) for name, count in self.plan(row)), "Bought."]
