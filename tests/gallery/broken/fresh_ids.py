"""File a ticket with the right team, and name its id."""

import uuid

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

TEAMS = {
    "billing": ["I was charged twice", "the invoice shows a wrong address", "my card was refused"],
    "network": ["the line drops every hour", "no signal in the cellar", "pages load slowly since Monday"],
    "hardware": ["the router smells burnt", "a key is stuck", "the screen stays black"],
}


class Tickets(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"File this with billing, network or hardware, and answer with the id: {text}.", "team": team}
            for team, texts in TEAMS.items()
            for text in texts
        ]

    def setup(self, row):
        self.filed = {}

    @tool
    def file_ticket(self, team: str) -> str:
        """File the customer's message as a ticket, once.

        Args:
            team: The team that is to see to it.
        """
        if self.filed:
            return "There is a ticket already."
        ticket = f"T-{uuid.uuid4().hex[:8]}"
        self.filed[ticket] = team
        return ticket

    @reward
    def right_ticket(self, messages, team):
        return self.filed.get(answer_text(messages)) == team

    def solve(self, row):
        answered = yield call_message("file_ticket", team=row["team"])
        yield answered[-1]["content"]
