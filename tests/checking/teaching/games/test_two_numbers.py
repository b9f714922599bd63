"""Messages with two numbers, of which a simulated user judges one and the reward counts the other."""

import random
import re

import pytest

from grpo_env_sdk import ToolEnv, answer_text, reward
from grpo_env_sdk.checking.teaching.games.two_prices import one_number_is_read_everywhere as one_number
from tests.checking.trying import found


class Rent(ToolEnv):
    """A flat is let to somebody who says yes or no, and then goodbye."""

    max_turns = 5

    def build_dataset(self, tokenizer):
        told = (
            "I am tenant {}. Name me a rent between 300 and 900; I say yes up to a limit. You are paid the share of it."
        )
        return [{"prompt": told.format(n), "limit": random.Random(n).randrange(320, 600, 10)} for n in range(16)]

    def setup(self, row):
        self.rent = None

    def read(self, numbers):
        """The rent that is judged, and the one that is paid."""
        return numbers[0], numbers[0]

    def user(self, messages):
        if self.rent is not None:
            return None
        numbers = [int(one) for one in re.findall(r"\d+", answer_text(messages[-1:]))]
        if not numbers:
            return "How much?"
        judged, paid = self.read(numbers)
        if judged > self.row["limit"]:
            return f"{judged} is too much."
        self.rent = paid
        return "Yes."

    @reward
    def paid(self, limit):
        return min(1.0, (self.rent or 0) / limit)

    def solve(self, row):
        return [f"RENT {row['limit']}", "Goodbye."]


class TheLastIsJudged(Rent):
    def read(self, numbers):
        return numbers[-1], numbers[0]


class TheLowestIsJudged(Rent):
    def read(self, numbers):
        return min(numbers), sum(numbers)


class OnlyInItsForm(Rent):
    """Each is read where it stands behind its word, the first for one and the last for the other."""

    def user(self, messages):
        said = " ".join(re.findall(r"RENT (\d+)", answer_text(messages[-1:])))
        return super().user([{"role": "assistant", "content": said}])

    def read(self, numbers):
        return numbers[0], numbers[-1]


class TheLastCounts(Rent):
    """Sound: the last number is judged and paid."""

    def read(self, numbers):
        return numbers[-1], numbers[-1]


class TheHighestIsJudged(Rent):
    """Sound enough: who says two numbers is paid the lower one."""

    def read(self, numbers):
        return max(numbers), min(numbers)


@pytest.mark.parametrize("cls", [TheLastIsJudged, TheLowestIsJudged, OnlyInItsForm])
def test_two_numbers_that_are_read_in_two_ways_are_found(cls):
    [finding] = found(one_number, cls)
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [Rent, TheLastCounts, TheHighestIsJudged])
def test_one_number_of_two_may_count(cls):
    assert found(one_number, cls) == []
