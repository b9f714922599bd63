"""The prompt asks for a time within an hour, and so it is scored."""

from datetime import datetime, timedelta

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Arrivals(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        start = datetime(2024, 3, 1, 5)
        drives = [(start + timedelta(minutes=n * 37 % 700), 90 + n * 53 % 240) for n in range(40)]
        return [
            {
                "prompt": f"A car leaves at {leaves:%H:%M} and drives {km} km at about 60 km/h. "
                "When does it arrive, within an hour (HH:MM)?",
                "arrival": f"{leaves + timedelta(minutes=km):%H:%M}",
            }
            for leaves, km in drives
        ]

    @reward
    def near(self, completion, arrival):
        try:
            said = datetime.strptime(answer_text(completion).strip(), "%H:%M")
        except ValueError:
            return 0.0
        return abs(said - datetime.strptime(arrival, "%H:%M")) <= timedelta(minutes=60)

    def solve(self, row):
        return row["arrival"]
