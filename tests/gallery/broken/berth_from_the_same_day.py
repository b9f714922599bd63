"""A berth is refused where a stay begins on the same day as another one, and not where the two overlap."""

import json
from datetime import date, timedelta

from grpo_env_sdk import ToolEnv, call_message, reward, tool

FIRST = date(2027, 6, 1)


def day(number):
    return (FIRST + timedelta(days=number)).isoformat()


class Marina(ToolEnv):
    """The berth of a marina in June."""

    max_turns = 5
    whole_stays = False

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(12):
            nights = 2 + number % 2
            taken = [[start, start + 4] for start in (2 + number % 3, 9 + number % 4, 20 + number % 2)]
            text = f"Book the berth for yacht {40 + number} for {nights} nights in June 2027, while it is free."
            rows.append({"prompt": text, "nights": nights, "taken": taken})
        return rows

    def setup(self, row):
        self.stays = []

    @tool
    def berth_plan(self) -> str:
        """When the berth is taken: the days of arrival and departure."""
        return json.dumps([{"arrival": day(a), "departure": day(b)} for a, b in self.row["taken"]])

    @tool
    def book_berth(self, arrival: str, departure: str) -> str:
        """Book the berth.

        Args:
            arrival: The first day, as YYYY-MM-DD.
            departure: The last day, as YYYY-MM-DD.
        """
        self.stays.append([(date.fromisoformat(one) - FIRST).days for one in (arrival, departure)])
        return "Booked."

    def is_free(self, start, end):
        if self.whole_stays:
            return all(end <= a or start >= b for a, b in self.row["taken"])
        return all(start != a for a, _ in self.row["taken"])

    @reward
    def booked(self, nights):
        fits = len(self.stays) == 1 and self.stays[0][1] - self.stays[0][0] == nights
        return fits and self.stays[0][0] >= 0 and self.stays[0][1] <= 29 and self.is_free(*self.stays[0])

    def solve(self, row):
        start = row["taken"][1][1] + 1
        yield call_message("berth_plan")
        yield call_message("book_berth", arrival=day(start), departure=day(start + row["nights"]))
        yield "The berth is booked."
