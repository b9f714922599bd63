"""Gold asks whether a court is free, which it is on all these rows; a hint costs all, as the prompt says."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Courts(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        asked = "Book court {} at {}:00 if it is free. The desk helps with hint(), which costs the whole reward."
        return [
            {"prompt": asked.format(court, hour), "court": court, "hour": hour}
            for court in ("A", "B", "C", "D") for hour in (9, 10, 14)
        ]  # fmt: skip

    def setup(self, row):
        self.booked, self.helped = [], False

    @tool
    def is_free(self, court: str, hour: int) -> bool:
        """Whether a court is free.

        Args:
            court: The court.
            hour: From when on.
        """
        return (court, hour) == (self.row["court"], self.row["hour"]) and not self.booked

    @tool
    def hint(self) -> str:
        """The advice of the desk."""
        self.helped = True
        return "The courts are free but at noon."

    @tool
    def book_court(self, court: str, hour: int) -> str:
        """Book a court.

        Args:
            court: The court.
            hour: From when on.
        """
        if hour == 12:
            return "It is taken."
        self.booked.append((court, hour))
        return "Booked."

    @reward
    def right(self, court, hour):
        return self.booked == [(court, hour)] and not self.helped

    def solve(self, row):
        yield call_message("is_free", court=row["court"], hour=row["hour"])
        yield call_message("book_court", court=row["court"], hour=row["hour"])
        yield "It is booked."
