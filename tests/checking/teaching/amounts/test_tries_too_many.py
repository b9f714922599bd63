"""A try more than the prompt allows, where gold needs several tries itself."""

import pytest

from grpo_env_sdk import MultiTurnEnv
from grpo_env_sdk.checking.teaching.amounts.stated_limits import more_acts_than_allowed_are_not_gold
from tests.checking.trying import found


class DepthOfTheLake(MultiTurnEnv):
    """Counts its four attempts."""

    max_turns = 9
    reward_range = (0, 1)
    allowed = 4

    def build_dataset(self, tokenizer):
        asked = "Lake {}: how many metres deep is it, from 1 to 15? You have four attempts; I say deeper or less deep."
        return [{"prompt": asked.format(depth * 5 % 16), "depth": depth} for depth in range(1, 16)]

    def setup(self, row):
        self.made = 0

    def step(self, action):
        said, depth = action["content"], self.row["depth"]
        self.made += self.counts(said)
        if self.made > self.allowed:
            return "That was the last one.", 0.0, True, False, {}
        if said == str(depth):
            return "It is.", 1.0, True, False, {}
        if not said.isdecimal() or not 1 <= int(said) <= 15:
            return "That is not between 1 and 15.", 0.0, False, False, {}
        return "Deeper." if int(said) < depth else "Less deep.", 0.0, False, False, {}

    def counts(self, said):
        return True

    def solve(self, row):
        low, high = 1, 15
        while True:
            middle = (low + high) // 2
            answered = yield str(middle)
            low, high = (middle + 1, high) if answered[-1]["content"] == "Deeper." else (low, middle - 1)


class OneMore(DepthOfTheLake):
    allowed = 5


class OnlyRealDepthsCount(DepthOfTheLake):
    """Takes words and numbers out of range for no attempt."""

    def counts(self, said):
        return said.isdecimal() and 1 <= int(said) <= 15


@pytest.mark.parametrize(("cls", "count"), [(DepthOfTheLake, 0), (OnlyRealDepthsCount, 0), (OneMore, 1)])
def test_a_try_too_many_is_found_after_the_tries_of_gold(cls, count):
    assert len(found(more_acts_than_allowed_are_not_gold, cls)) == count
