"""Arrivals are compared by their hour: any minutes score."""

from datetime import datetime, timedelta

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Arrivals(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        start = datetime(2024, 3, 1, 5)
        rides = [(start + timedelta(minutes=n * 37 % 700), 15 + n * 53 % 140) for n in range(40)]
        return [
            {
                "prompt": f"A train leaves at {leaves:%H:%M} and rides {ride} minutes. When does it arrive (HH:MM)?",
                "arrival": f"{leaves + timedelta(minutes=ride):%H:%M}",
            }
            for leaves, ride in rides
        ]

    @reward
    def on_time(self, completion, arrival):
        try:
            said = datetime.strptime(answer_text(completion).strip(), "%H:%M")
        except ValueError:
            return 0.0
        return said.hour == datetime.strptime(arrival, "%H:%M").hour

    def solve(self, row):
        return row["arrival"]
