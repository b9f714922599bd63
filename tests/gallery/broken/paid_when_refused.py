"""A kiosk takes the token before it sees that a locker is out of order, and says that none was taken."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Lockers(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        asked = "Rent a locker in hall {} that is large enough for a suitcase. It takes one token; leave the others. "
        broken = "Some lockers are out of order: a refused call takes nothing, then use another one."
        return [
            {"prompt": asked.format(n + 1) + broken, "lockers": [100 + n, 200 + n], "works": n % 2} for n in range(24)
        ]

    def setup(self, row):
        self.tokens, self.rented = 3, []

    @tool
    def find_lockers(self) -> list[int]:
        """The numbers of the lockers that are large enough."""
        return self.row["lockers"]

    @tool
    def rent(self, locker: int) -> str:
        """Rent a locker for a token.

        Args:
            locker: Its number.
        """
        self.tokens -= 1
        if locker != self.row["lockers"][self.row["works"]]:
            return "Refused: this locker is out of order. No token was taken."
        self.rented.append(locker)
        return f"Locker {locker} is yours."

    @reward
    def rented_for_one(self, row):
        return self.rented == [row["lockers"][row["works"]]] and self.tokens == 2

    def solve(self, row):
        yield call_message("find_lockers")
        yield call_message("rent", locker=row["lockers"][row["works"]])
        yield "Rented."
