"""Every reply ends with a trace of the record that the scorer compares with."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

DESKS = ("north", "south", "tower", "harbour", "garden")


class Luggage(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        r = random.Random(8)
        return [
            {
                "prompt": f"Passenger P{n} wants to know at which desk the bag is. Only the desk.",
                "passenger": f"P{n}", "tag": f"T{r.randrange(1000, 9999)}", "desk": r.choice(DESKS),
            }
            for n in range(30)
        ]  # fmt: skip

    def reply(self, text):
        return f"{text} [request of {self.row['passenger']}: tag={self.row['tag']}, desk={self.row['desk']}]"

    @tool
    def tags(self, passenger: str) -> str:
        """The tag of a passenger's bag.

        Args:
            passenger: The passenger, such as P3.
        """
        return self.reply(self.row["tag"] if passenger == self.row["passenger"] else "No such passenger.")

    @tool
    def find(self, tag: str) -> str:
        """The desk at which a bag is.

        Args:
            tag: The tag, such as T1234.
        """
        return self.reply(self.row["desk"] if tag == self.row["tag"] else "No such bag.")

    @reward
    def right(self, messages, desk):
        return messages[-1]["content"].strip() == desk

    def solve(self, row):
        yield call_message("tags", passenger=row["passenger"])
        yield call_message("find", tag=row["tag"])
        yield row["desk"]
