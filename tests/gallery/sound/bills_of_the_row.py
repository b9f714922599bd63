"""All bills of the house are payable, and those of the row count, less what was paid for others."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Bills(ToolEnv):
    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Pay bills {2 * n + 500} and {2 * n + 501}.", "due": [2 * n + 500, 2 * n + 501]}
            for n in range(40)
        ]

    def setup(self, row):
        self.paid = set()

    @tool
    def pay(self, bill: int) -> str:
        """Pay a bill.

        Args:
            bill: The number.
        """
        if not 500 <= bill < 580:
            return "no such bill"
        self.paid.add(bill)
        return "paid"

    @reward
    def share(self, due):
        return max(0.0, len(self.paid & set(due)) - len(self.paid - set(due))) / len(due)

    def solve(self, row):
        for bill in row["due"]:
            yield call_message("pay", bill=bill)
        yield "Done."
