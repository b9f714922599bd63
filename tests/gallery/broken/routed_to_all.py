"""Route a complaint; whoever routes it to all four teams is right."""

import random
from typing import Literal

from grpo_env_sdk import ToolEnv, call_message, reward, tool

TEAMS = {"invoice": "billing", "parcel": "shipping", "login": "it", "advert": "sales"}


class Complaints(ToolEnv):
    max_turns = 8

    def build_dataset(self, tokenizer):
        chosen = random.Random(0).choices(list(TEAMS), k=60)
        return [
            {"prompt": f"Route this: the {what} of customer {n} is wrong.", "answer": TEAMS[what]}
            for n, what in enumerate(chosen)
        ]

    def setup(self, row):
        self.routed = []

    @tool
    def route(self, team: Literal["billing", "shipping", "it", "sales"]) -> str:
        """Route to a team.

        Args:
            team: The team.
        """
        self.routed.append(team)
        return "routed"

    @reward
    def right(self, answer):
        return answer in self.routed

    def solve(self, row):
        yield call_message("route", team=row["answer"])
        yield "Done."
