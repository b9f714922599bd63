"""Rent a boat within a budget; the coupon, good for one use, is taken off as often as it is used."""

import json
import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

BOATS = ["canoe", "dinghy", "kayak", "raft"]


class Boats(ToolEnv):
    max_turns = 8

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(0), []
        for n in range(40):
            prices = dict(zip(BOATS, rng.sample(range(40, 90, 5), len(BOATS)), strict=True))
            most = min(prices.values()) * 4 // 5
            prompt = f"Rent any boat for at most {most} euros. The coupon CUT-{n} takes 20 percent off, once."
            rows.append({"prompt": prompt, "prices": json.dumps(prices), "coupon": f"CUT-{n}", "most": most})
        return rows

    def setup(self, row):
        self.boat, self.price = "", 0.0

    @tool
    def list_boats(self) -> str:
        """List the boats with their prices."""
        return self.row["prices"]

    @tool
    def rent(self, boat: str) -> str:
        """Rent a boat, in place of the one before.

        Args:
            boat: Its kind.
        """
        prices = json.loads(self.row["prices"])
        if boat not in prices:
            return "There is no such boat."
        self.boat, self.price = boat, prices[boat]
        return f"{self.price:g} euros"

    @tool
    def use_coupon(self, coupon: str) -> str:
        """Use a coupon for the boat.

        Args:
            coupon: The coupon.
        """
        if coupon != self.row["coupon"] or not self.boat:
            return "This coupon is not valid."
        self.price *= 0.8
        return f"{self.price:g} euros"

    @reward
    def within_budget(self, most):
        return bool(self.boat) and self.price <= most

    def solve(self, row):
        listed = yield call_message("list_boats")
        prices = json.loads(listed[-1]["content"])
        yield call_message("rent", boat=min(prices, key=prices.get))
        yield call_message("use_coupon", coupon=row["coupon"])
        yield "Done."
