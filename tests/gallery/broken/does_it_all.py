"""Buy what is on a list in the cheapest shop."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

SHOPS = ("Aldo", "Berta", "Cora")


class CheapestShop(ToolEnv):
    """Ask each shop for its price, then order from the cheapest."""

    max_turns = 6

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Order {n} crates of water (order {n}) from whichever of {', '.join(SHOPS)} is cheapest.",
                "prices": [9 + (7 * n) % 11, 9 + (5 * n) % 13, 9 + (3 * n) % 17],
            }
            for n in range(2, 60)
            if len({(7 * n) % 11, (5 * n) % 13, (3 * n) % 17}) == 3
        ]

    def setup(self, row):
        self.ordered = []

    @tool
    def price(self, shop: str) -> str:
        """What a crate costs in a shop.

        Args:
            shop: The shop to ask.
        """
        return str(self.row["prices"][SHOPS.index(shop)]) if shop in SHOPS else "There is no such shop."

    @tool
    def order(self, shop: str = "") -> str:
        """Order from a shop.

        Args:
            shop: The shop to order from; left out, the best offer is taken.
        """
        prices = self.row["prices"]
        self.ordered.append(shop or SHOPS[prices.index(min(prices))])
        return "Ordered."

    @reward
    def cheapest(self, prices):
        return self.ordered == [SHOPS[prices.index(min(prices))]]

    def solve(self, row):
        prices = []
        for shop in SHOPS:
            answered = yield call_message("price", shop=shop)
            prices.append(int(answered[-1]["content"]))
        yield call_message("order", shop=SHOPS[prices.index(min(prices))])
        yield "Done."
