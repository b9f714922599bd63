"""Every third guest takes another size than at first, and the score wants the first one."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

SIZES = ["small", "medium", "large"]
DRINKS = ["tea", "coffee", "cocoa", "juice"]


class Bar(ToolEnv):
    max_turns = 6
    wanted = "first"

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(15):
            first, drink = SIZES[n % 3], DRINKS[n % 4]
            last = SIZES[(n + 1) % 3] if n % 3 == 1 else first
            prompt = f"Hi! A {first} {drink} for table {n + 1}, please. Read it back to me before you order."
            rows.append({"prompt": prompt, "drink": drink, "first": first, "last": last})
        return rows

    def setup(self, row):
        self.ordered, self.asked = [], False

    @tool
    def order(self, size: str, drink: str) -> str:
        """Order a drink.

        Args:
            size: small, medium or large.
            drink: The drink.
        """
        self.ordered.append([size, drink])
        return "It is on its way."

    def user(self, messages):
        if self.ordered:
            return None
        last = self.row["last"]
        changed, self.asked = not self.asked and last != self.row["first"], True
        return f"Sorry, make that a {last} {self.row['drink']}." if changed else f"Yes, {last}, please."

    @reward
    def right(self, first, last, drink):
        return self.ordered == [[first if self.wanted == "first" else last, drink]]

    def solve(self, row):
        size = row[self.wanted]
        yield f"A {row['first']} {row['drink']}?"
        yield call_message("order", size=size, drink=row["drink"])
        yield "Here you are."
