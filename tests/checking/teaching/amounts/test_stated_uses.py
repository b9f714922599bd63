"""How often something may be used, in words for the thing itself, where many calls are in one message."""

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.evidence.prompts.stated_uses import stated_uses
from grpo_env_sdk.checking.teaching.amounts.stated_limits import more_acts_than_allowed_are_not_gold
from tests.checking.trying import found


class Leak(ToolEnv):
    """A leak in one of nine pipes, which is found by closing some of them; what was tested is counted by turns."""

    max_turns = 8
    asked = "House {}: one of the pipes 1 to 9 leaks. You may use the gauge twice; after more tests you get nothing."

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{self.asked.format(n)} Answer with its number.", "pipe": 1 + n * 5 % 9} for n in range(18)]

    def setup(self, row):
        self.tests = 0

    def is_over(self):
        return self.turns > 3

    @tool
    def pressure_test(self, pipes: list[int]) -> str:
        """Close some pipes and read the gauge.

        Args:
            pipes: The pipes that are closed.
        """
        self.tests += 1
        return "The gauge falls." if self.row["pipe"] not in pipes else "The gauge holds."

    @reward
    def right(self, completion, pipe):
        return not self.is_over() and answer_text(completion) == str(pipe)

    def solve(self, row):
        third = (row["pipe"] - 1) // 3
        for some in ([1, 2, 3], [3 * third + 1]):
            yield call_message("pressure_test", pipes=some)
        yield str(row["pipe"])


class TwoTests(Leak):
    """It is said as a number of tests."""

    asked = "House {}: one of the pipes 1 to 9 leaks. Find it with two pressure tests."


class ThreeTimes(Leak):
    """One test is left over."""

    asked = "House {}: one of the pipes 1 to 9 leaks. The gauge can be read only three times."

    def is_over(self):
        return self.turns > 4


class CountsTests(Leak):
    """Sound: tests are counted."""

    def is_over(self):
        return self.tests > 2


class SaysNothing(Leak):
    """Sound: it is not said how many there are."""

    asked = "House {}: one of the pipes 1 to 9 leaks. Be quick."


class ByMessage(Leak):
    """Sound: messages are what is limited."""

    asked = "House {}: one of the pipes 1 to 9 leaks. You may use the gauge in two messages, with any tests in each."


class Together(Leak):
    """Sound: it says that tests may be made at once."""

    asked = "House {}: one of the pipes 1 to 9 leaks. You may use the gauge twice, also for several tests at once."


class Unlimited(Leak):
    """Sound: nothing is lost by more."""

    def is_over(self):
        return False


@pytest.mark.parametrize("cls", [Leak, TwoTests, ThreeTimes])
def test_uses_that_are_counted_by_message_are_found(cls):
    (finding,) = found(more_acts_than_allowed_are_not_gold, cls)
    assert "in the message with gold's call" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [CountsTests, SaysNothing, ByMessage, Together])
def test_uses_that_are_counted_or_limited_by_messages_are_let_be(cls):
    assert not found(more_acts_than_allowed_are_not_gold, cls)


def test_many_calls_in_one_message_are_not_named_where_one_by_one_they_pay_as_well():
    assert all("in the message" not in one.message for one in found(more_acts_than_allowed_are_not_gold, Unlimited))


@pytest.mark.parametrize(("sentence", "counts"), [
    ("You may use the balance twice", {2}),
    ("Find it with two weighings", {2}),
    ("You have 3 weighings in all", {3}),
    ("The balance may be used four times", {4}),
    ("You may use the balance twice each day", set()),
    ("You must weigh each coin twice", set()),
    ("Gold is only twice as heavy on the balance", set()),
    ("Weigh one coin", set()),
])  # fmt: skip
def test_how_often_something_may_be_used(sentence, counts):
    assert stated_uses([sentence], "weigh", "Put coins on both pans of the balance.") == counts
