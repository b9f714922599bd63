"""The calls have to be the author's two: a look at the alarms, which the prompt invites to, scores nothing."""

from itertools import pairwise

from grpo_env_sdk import ToolEnv, call_message, reward, tool

TIMES = ("05:45", "06:10", "06:30", "07:15", "08:00", "09:20")


class Alarms(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Look at my alarms if you like. Move the one of {old} to {new}, for {label}.",
             "old": old, "new": new, "label": label}
            for old, new in pairwise(TIMES)
            for label in ("work", "gym", "the train")
        ]  # fmt: skip

    def setup(self, row):
        self.alarms = {row["old"]: row["label"]}

    @tool
    def list_alarms(self) -> dict[str, str]:
        """The alarms, each with what it is for."""
        return self.alarms

    @tool
    def delete_alarm(self, time: str) -> str:
        """Delete an alarm.

        Args:
            time: When it rings.
        """
        return "Deleted." if self.alarms.pop(time, None) else "There is no such alarm."

    @tool
    def add_alarm(self, time: str, label: str) -> str:
        """Add an alarm.

        Args:
            time: When it rings.
            label: What it is for.
        """
        self.alarms[time] = label
        return "Added."

    @reward
    def right(self, tool_calls, row):
        called = [(call["name"], *call["arguments"].values()) for call in tool_calls]
        return called == [("delete_alarm", row["old"]), ("add_alarm", row["new"], row["label"])]

    def solve(self, row):
        yield call_message("delete_alarm", time=row["old"])
        yield call_message("add_alarm", time=row["new"], label=row["label"])
        yield "Moved."
