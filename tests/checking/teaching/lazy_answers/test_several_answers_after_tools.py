"""Answers after calls of tools that name several values, one of which is right."""

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.hedging import one_answer_at_a_time
from tests.checking.trying import found

TRAINS = {f"Town{n}": f"{8 + n % 9}:{10 + 3 * n}" for n in range(14)}


class Trains(ToolEnv):
    """When does the first train leave?"""

    max_turns = 4

    def build_dataset(self, tokenizer):
        asked = "When does the first train to {} leave? Look it up, and answer with the time."
        return [{"prompt": asked.format(town), "town": town, "time": time} for town, time in TRAINS.items()]

    @tool
    def first_train(self, town: str) -> str:
        """When the first train leaves.

        Args:
            town: Where to.
        """
        return TRAINS.get(town, "There is no such town.")

    @reward
    def right(self, messages, time):
        return self.is_right(answer_text(messages), time)

    def is_right(self, said, time):
        return time in said

    def solve(self, row):
        yield call_message("first_train", town=row["town"])
        yield row["time"]


class Exact(Trains):
    def is_right(self, said, time):
        return said.strip() == time


class LastOne(Trains):
    def is_right(self, said, time):
        return said.split()[-1:] == [time]


class Called(Trains):
    """What is called counts, and no word of the last message."""

    @reward
    def right(self, tool_calls, town):
        return [call["arguments"] for call in tool_calls] == [{"town": town}]


def test_several_times_in_the_last_message_are_found():
    (finding,) = [one for one in found(one_answer_at_a_time, Trains) if isinstance(one, Finding)]
    assert "names 5 values is right as soon as one of them is" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [Exact, LastOne, Called])
def test_one_time_that_counts_is_let_alone(cls):
    assert found(one_answer_at_a_time, cls) == []
