"""A shop that has none says which one has: that is what asking is for, and only the order counts."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

SHOPS = ("Bern", "Graz", "Linz", "Ulm")


class Stock(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        asked = "Order lamp {} where it is in stock: Bern, Graz, Linz or Ulm. The first order counts."
        return [{"prompt": asked.format(n), "shop": SHOPS[n * 7 % 4]} for n in range(16)]

    def setup(self, row):
        self.ordered = None

    @tool
    def ask(self, shop: str) -> str:
        """Ask a shop.

        Args:
            shop: Which one.
        """
        right = self.row["shop"]
        return "We have it." if shop == right else f"None here, but {right} has one."

    @tool
    def order(self, shop: str) -> str:
        """Order at a shop.

        Args:
            shop: Which one.
        """
        self.ordered = self.ordered or shop
        return "Ordered."

    @reward
    def right(self, shop):
        return self.ordered == shop

    def solve(self, row):
        yield call_message("ask", shop="Bern")
        yield call_message("order", shop=row["shop"])
        yield "It is ordered."
