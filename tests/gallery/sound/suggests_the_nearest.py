"""To an unknown order the tool suggests the one that is spelled most alike, if there is one."""

from difflib import get_close_matches

from grpo_env_sdk import ToolEnv, call_message, reward, tool

NAMES = ("Abel", "Mina", "Tom", "Eva", "Raj", "Lea", "Kai", "Nora", "Ugo", "Zoe", "Ines", "Omar")
ORDERS = {
    f"ORD-{10000 + 7919 * (2 * n + place) % 89999}": (name, thing)
    for n, name in enumerate(NAMES)
    for place, thing in enumerate(("lamp", "rug"))
}


class Returns(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"{name} returns the {thing}. Start it.",
                "name": name,
                "thing": thing,
                "order": order,
            }
            for order, (name, thing) in ORDERS.items()
        ]

    def setup(self, row):
        self.returned = []

    @tool
    def orders_of(self, name: str) -> dict[str, str]:
        """The orders of a customer, each with what it was for.

        Args:
            name: The first name.
        """
        return {order: thing for order, (whose, thing) in ORDERS.items() if whose == name}

    @tool
    def start_return(self, order: str) -> str:
        """Start the return of an order.

        Args:
            order: Its number.
        """
        if order not in ORDERS:
            near = get_close_matches(order, ORDERS, 1, 0.8)
            return f"No order {order}." + (f" Did you mean {near[0]}?" if near else "")
        self.returned.append(order)
        return "The label is on its way."

    @reward
    def right(self, order):
        return self.returned == [order]

    def solve(self, row):
        yield call_message("orders_of", name=row["name"])
        yield call_message("start_return", order=row["order"])
        yield "It has begun."
