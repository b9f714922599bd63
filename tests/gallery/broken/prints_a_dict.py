"""Timetables; a train that stops nowhere is told as Python prints it."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

STOPS = {"IC1": "Ghent", "IC2": "Lyon", "IC3": "Turin", "RE4": None, "RE5": "York", "RE6": "Porto"}


class Timetable(ToolEnv):
    """Find out where a train stops first."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Where does {train} stop first on day {day}? The place, or nowhere.", "train": train}
            for train in STOPS
            for day in range(1, 6)
        ]

    @tool
    def first_stop(self, train: str) -> dict | str:
        """The first stop of a train.

        Args:
            train: Its number, such as IC1.
        """
        found = {"train": train, "stop": STOPS.get(train), "platform": None}
        return found if found["stop"] else str(found)

    @reward
    def right(self, messages, train):
        return messages[-1]["content"] == (STOPS[train] or "nowhere")

    def solve(self, row):
        yield call_message("first_stop", train=row["train"])
        yield STOPS[row["train"]] or "nowhere"
