"""Resolve a ticket; its status shows the whole row, with the resolution in it."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

KINDS = ("refund", "replace", "repair", "escalate", "ignore")
STATES = ("broken", "late", "lost", "fine")


class Helpdesk(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        rng = random.Random(0)
        return [
            {
                "prompt": f"Resolve ticket T{n}: waited {rng.randint(1, 60)} days, item {rng.choice(STATES)}.",
                "resolution": rng.choice(KINDS),
                "id": f"T{n}",
            }
            for n in range(50)
        ]

    def setup(self, row):
        self.done = None

    @tool
    def status(self, ticket: str) -> dict:
        """Status of a ticket.

        Args:
            ticket: Such as T3.
        """
        return {
            "ticket": ticket,
            "open": self.done is None,
            "row": {name: value for name, value in self.row.items() if name != "prompt"},
        }

    @tool
    def resolve(self, ticket: str, resolution: str) -> str:
        """Resolve a ticket.

        Args:
            ticket: Such as T3.
            resolution: One of refund, replace, repair, escalate, ignore.
        """
        self.done = resolution
        return "resolved"

    @reward
    def right(self, resolution):
        return self.done == resolution

    def solve(self, row):
        yield call_message("resolve", ticket=row["id"], resolution=row["resolution"])
        yield "Done."
