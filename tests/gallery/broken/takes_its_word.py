"""Reserve a table; what counts is that the model says so."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Tables(ToolEnv):
    """Find a free table for a party, reserve it, and tell which it is."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Reserve the smallest free table for {people} people at {hour}, then answer 'Table N.'",
                "people": people,
                "hour": hour,
                "free": [number for number in range(1, 13) if (7 * number + 3 * people + hour) % 5 < 3],
            }
            for people in (2, 3, 4, 5)
            for hour in (17, 18, 19, 20, 21)
        ]

    def setup(self, row):
        self.reserved = {}

    @tool
    def free_tables(self, hour: int) -> list[int]:
        """The numbers of the tables that are free, the smallest first.

        Args:
            hour: The hour, such as 19.
        """
        return self.row["free"] if hour == self.row["hour"] else []

    @tool
    def reserve(self, table: int, hour: int) -> str:
        """Reserve a table.

        Args:
            table: Its number.
            hour: The hour, such as 19.
        """
        self.reserved[table] = hour
        return f"Table {table} is reserved for {hour}."

    @reward
    def right(self, messages, free):
        return messages[-1]["content"] == f"Table {free[0]}."

    def solve(self, row):
        answered = yield call_message("free_tables", hour=row["hour"])
        table = int(answered[-1]["content"].strip("[]").split(",")[0])
        yield call_message("reserve", table=table, hour=row["hour"])
        yield f"Table {table}."
