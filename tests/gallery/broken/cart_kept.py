"""Put what a customer asks for into a shopping cart."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

ITEMS = ("tea", "rice", "soap", "milk", "salt", "jam")


class Cart(ToolEnv):
    max_turns = 4

    def __init__(self):
        self.cart = {}

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Put {n} packs of {item} into my cart, then say done.", "item": item, "count": n}
            for item in ITEMS
            for n in range(2, 9)
        ]

    @tool
    def add(self, item: str, count: int) -> dict[str, int]:
        """Add packs of an item to the cart.

        Args:
            item: What to add.
            count: How many packs.
        """
        self.cart[item] = self.cart.get(item, 0) + count
        return self.cart

    @reward
    def right_cart(self, item, count):
        return self.cart == {item: count}

    def solve(self, row):
        return [call_message("add", item=row["item"], count=row["count"]), "Done."]
