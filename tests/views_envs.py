"""Environments that choose what the model reads."""

from grpo_env_sdk import MultiTurnEnv, ToolEnv, call_message, reward, tool
from grpo_env_sdk.views import keep_last_turns


class Doors(ToolEnv):
    """Open doors one after another until one is the last; each says which is next."""

    max_turns = 8
    view = keep_last_turns(2)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Open the doors from {n} on.", "start": n, "last": n + 4} for n in range(1, 13)]

    @tool
    def open_door(self, number: int) -> str:
        """Open a door.

        Args:
            number: Which one.
        """
        return "This is the last one." if number == self.row["last"] else f"The next one is {number + 1}."

    @reward
    def right(self, messages, last):
        return float(str(last) in messages[-1]["content"])

    def solve(self, row):
        for number in range(row["start"], row["last"] + 1):
            yield call_message("open_door", number=number)
        yield f"The last door is {row['last']}."


class Countdown(MultiTurnEnv):
    """Say the number that follows; what was said before the last turn is not shown any more."""

    max_turns = 6

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Count down from {n}.", "start": n} for n in (4, 5)]

    def setup(self, row):
        self.left = row["start"]

    def step(self, action):
        self.left -= action["content"] == str(self.left)
        return f"{len(self.messages)} messages, {self.left} to go.", 0.0, self.left == 0, False, {}

    def view(self, messages, opening):
        return messages[:opening] + messages[opening:][-2:]

    @reward
    def done(self):
        return self.left == 0

    def solve(self, row):
        return [str(number) for number in range(row["start"], 0, -1)]
