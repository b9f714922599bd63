"""Whether a right answer counts in the last of the tries that a prompt promises."""

import itertools

import pytest

from grpo_env_sdk import MultiTurnEnv
from grpo_env_sdk.checking.episode.harness import the_last_turn_counts
from tests.checking.trying import found

CODES = ["".join(letters) for letters in itertools.product("RGB", repeat=3)]


class Pegs(MultiTurnEnv):
    """Gold makes a first guess, which is one of the five."""

    max_turns = 8
    reward_range = (0, 1)
    counted = 5

    def build_dataset(self, tokenizer):
        asked = "Game {}: find a code of three letters, R, G and B. You have five guesses."
        return [{"prompt": asked.format(number), "code": code} for number, code in enumerate(CODES[1:17])]

    def setup(self, row):
        self.made = 0

    def step(self, action):
        self.made += 1
        if action["content"] == self.row["code"] and self.made <= self.counted:
            return "That is it.", 1.0, True, False, {}
        return "No.", 0.0, self.made == 5, False, {}

    def solve(self, row):
        return ["RRR", row["code"]]


class LosesTheLast(Pegs):
    """Looks at four guesses of five."""

    counted = 4


@pytest.mark.parametrize(("cls", "count"), [(Pegs, 0), (LosesTheLast, 1)])
def test_guesses_that_gold_makes_before_are_counted(cls, count):
    assert len(found(the_last_turn_counts, cls)) == count
