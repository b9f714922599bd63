"""A leak has to be found by its pressure, and a tool for the state of the net shows where it is."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Pipes(ToolEnv):
    max_turns = 8

    def build_dataset(self, tokenizer):
        asked = (
            "Net {}: a pipe leaks in a grid of 8 by 8. The loss at a place is its distance. Send the crew to the leak."
        )
        return [{"prompt": asked.format(n), "street": n * 5 % 8, "block": n * 3 % 7} for n in range(20)]

    def setup(self, row):
        self.sent = None

    @tool
    def measure(self, street: int, block: int) -> int:
        """Measure the loss at a place.

        Args:
            street: The street, from 0.
            block: The block, from 0.
        """
        return abs(street - self.row["street"]) + abs(block - self.row["block"])

    @tool
    def net_state(self) -> dict[str, list[int] | None]:
        """The state of the net."""
        return {"size": [8, 8], "crew": self.sent, "open": [self.row["street"], self.row["block"]]}

    @tool
    def send_crew(self, street: int, block: int) -> str:
        """Send the crew; there is one.

        Args:
            street: The street, from 0.
            block: The block, from 0.
        """
        self.sent = self.sent or [street, block]
        return "On its way."

    @reward
    def right(self, street, block):
        return self.sent == [street, block]

    def solve(self, row):
        one = yield call_message("measure", street=0, block=0)
        other = yield call_message("measure", street=7, block=0)
        first, second = int(one[-1]["content"]), int(other[-1]["content"])
        street = (first - second + 7) // 2
        yield call_message("send_crew", street=street, block=first - street)
        yield "The crew is on its way."
