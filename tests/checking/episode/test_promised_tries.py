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


class YearOfTheHouse(MultiTurnEnv):
    """No `solve`: what is right is seen from what `step` compares. Whatever is no year ends it in six tries too."""

    max_turns = 9
    reward_range = (0, 1)
    looked_at = 6
    asked = "House {}, built between 1900 and 1959: in which year? You have six guesses."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(year * 7 % 97), "year": year} for year in range(1904, 1920)]

    def setup(self, row):
        self.made = 0

    def step(self, action):
        self.made += 1
        said = action["content"].strip()
        if self.made <= self.looked_at and said == str(self.row["year"]):
            return "Yes.", 1.0, True, False, {}
        return "No.", 0.0, self.made == 6, False, {}


class LosesTheSixth(YearOfTheHouse):
    looked_at = 5


class VerliertDenSechsten(LosesTheSixth):
    asked = "Haus {}: in welchem Jahr (1900 bis 1959) wurde es gebaut? Du hast sechs Versuche."


class LosesTheLastTurn(LosesTheSixth):
    max_turns = 6


@pytest.mark.parametrize(
    ("cls", "count"), [(YearOfTheHouse, 0), (LosesTheSixth, 1), (VerliertDenSechsten, 1), (LosesTheLastTurn, 1)]
)
def test_the_last_guess_is_tried_without_solve(cls, count):
    assert len(found(the_last_turn_counts, cls)) == count


class StrokesOver(MultiTurnEnv):
    """The score counts from 0 downwards, and is lowest if the number was never said."""

    max_turns = 6
    reward_range = (-1, 0)
    counted = 6

    def build_dataset(self, tokenizer):
        asked = "Say twice {0}. A miss costs nothing in six messages; without the right number the score is -1."
        return [{"prompt": asked.format(number), "right": str(2 * number)} for number in range(20, 40)]

    def setup(self, row):
        self.said = 0

    def step(self, action):
        self.said += 1
        right = action["content"] == self.row["right"] and self.said <= self.counted
        ended = right or self.said == self.max_turns
        return "So it is." if right else "No.", 0.0 if right or not ended else -1.0, ended, False, {}

    def solve(self, row):
        return [row["right"]]


class LosesTheLastStroke(StrokesOver):
    """A right number in the sixth message does not count."""

    counted = 5


@pytest.mark.parametrize(("cls", "count"), [(StrokesOver, 0), (LosesTheLastStroke, 1)])
def test_where_the_score_counts_down_from_0_the_lowest_score_is_nothing(cls, count):
    assert len(found(the_last_turn_counts, cls)) == count
