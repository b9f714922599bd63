"""Reserve a table for a party; the list of tables ends after six, and some parties need the seventh."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

SHOWN = 6


class Tables(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Reserve the smallest table for {2 + n % 7} people, party {n}.", "n": n} for n in range(42)]

    def setup(self, row):
        self.reserved = []

    def tables(self, n):
        """The table for so many people, in the order of their size."""
        return [(seats, f"T{(n * 131 + seats * 37) % 900 + 100}") for seats in range(2, 9)]

    def fitting(self, n):
        return self.tables(n)[n % 7][1]

    @tool
    def list_tables(self) -> list[str]:
        """The free tables."""
        return [f"{name}: {seats} seats" for seats, name in self.tables(self.row["n"])][:SHOWN]

    @tool
    def reserve(self, table: str) -> str:
        """Reserve a table.

        Args:
            table: Its name.
        """
        self.reserved.append(table)
        return "Reserved."

    @reward
    def right(self, completion, n):
        return self.reserved == [self.fitting(n)]

    def solve(self, row):
        yield call_message("list_tables")
        yield call_message("reserve", table=self.fitting(row["n"]))
        yield "Done."
