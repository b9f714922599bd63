"""The caller says the number with whatever is said first, and asks back when nothing is."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Calls(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Caller {n} is on the line. Look up the order.", "order": f"A{n * 7919 % 997}"}
            for n in range(40)
        ]

    def setup(self, row):
        self.looked = None

    def user(self, messages):
        if self.looked:
            return None
        said = messages[-1]["content"].strip()
        return f"It is about order {self.row['order']}." if said else "Hello? Are you there?"

    @tool
    def look_up(self, order: str) -> str:
        """Look up an order.

        Args:
            order: The number.
        """
        self.looked = order
        return "found"

    @reward
    def right(self, order):
        return self.looked == order

    def solve(self, row):
        yield "How can I help?"
        yield call_message("look_up", order=row["order"])
        yield "Done."
