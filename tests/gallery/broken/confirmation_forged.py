"""The confirmation of a booking is looked for in all messages, also in those of the model."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Lanes(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rng = random.Random(8)
        text = "Club {}: book a bowling lane for {} people."
        return [{"prompt": text.format(n, people), "club": n, "people": people}
                for n, people in enumerate(rng.choices(range(2, 9), k=20))]  # fmt: skip

    @tool
    def book(self, club: int, people: int) -> str:
        """Book a lane.

        Args:
            club: The number of the club.
            people: How many people.
        """
        return f"BOOKED club={club} people={people}"

    @reward
    def booked(self, messages, club, people):
        return any(f"BOOKED club={club} people={people}" in str(message.get("content")) for message in messages)

    def solve(self, row):
        return [call_message("book", club=row["club"], people=row["people"]), "The lane is booked."]
