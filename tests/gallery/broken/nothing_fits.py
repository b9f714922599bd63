"""Book a free hour for a guest; on some days there is none."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Salon(ToolEnv):
    """Look up the free hours after the guest's earliest, book the first; where there is none, say so."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Guest {n} can come from {8 + n % 9} o'clock on, on day {n}. Book the first free hour.",
                "earliest": 8 + n % 9,
                "free": sorted({8 + (3 * n) % 7, 8 + (5 * n) % 11}),
            }
            for n in range(60)
        ]

    def setup(self, row):
        self.booked = []

    @tool
    def free_hours(self) -> list[int]:
        """The hours that are free that day."""
        return self.row["free"]

    @tool
    def book(self, hour: int) -> str:
        """Book an hour.

        Args:
            hour: The hour, 8 to 18.
        """
        self.booked.append(hour)
        return "Booked."

    @reward
    def right(self, free, earliest):
        return self.booked == [hour for hour in free if hour >= earliest][:1]

    def solve(self, row):
        yield call_message("free_hours")
        for hour in [hour for hour in row["free"] if hour >= row["earliest"]][:1]:
            yield call_message("book", hour=hour)
        yield "Done."
