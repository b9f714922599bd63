"""A ticket has a field with what the rules are there to decide."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

RULES = "Within 10 days of the purchase: refund. From 11 to 30 days: exchange. Later than 30 days: nothing."


class Tickets(ToolEnv):
    max_turns = 5
    shown = ("days", "article", "resolution")

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(24):
            days = random.Random(number).randint(1, 50)
            resolution = "refund" if days <= 10 else "exchange" if days <= 30 else "nothing"
            text = f"Decide ticket {number} as the rules say, and resolve it."
            rows.append({"prompt": text, "ticket": {"days": days, "article": "lamp", "resolution": resolution}})
        return rows

    def setup(self, row):
        self.said = ""

    @tool
    def open_ticket(self) -> dict:
        """Show the ticket: the article, and how many days ago it was bought."""
        return {name: self.row["ticket"][name] for name in self.shown}

    @tool
    def read_rules(self) -> str:
        """Read the rules of the shop."""
        return RULES

    @tool
    def resolve_ticket(self, outcome: str) -> str:
        """Resolve the ticket.

        Args:
            outcome: What the customer gets: refund, exchange or nothing.
        """
        self.said = self.said or outcome
        return "It is resolved."

    @reward
    def right(self, ticket):
        return self.said == ticket["resolution"]

    def solve(self, row):
        yield call_message("open_ticket")
        yield call_message("read_rules")
        yield call_message("resolve_ticket", outcome=row["ticket"]["resolution"])
        yield "It is resolved."
