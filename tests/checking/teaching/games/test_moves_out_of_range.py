"""Moves below the range, where those above it lose the game."""

import re

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.games.moves_out_of_range import moves_out_of_range_are_refused as out_of_range
from tests.checking.trying import found


class Beans(MultiTurnEnv):
    """Who eats the last bean wins; a move that is not allowed loses at once."""

    max_turns = 25
    lowest = 1

    def build_dataset(self, tokenizer):
        told = "A bowl holds {} beans. We eat from 1 to 4 in turn, and you begin; the last one wins. Say how many."
        return [{"prompt": told.format(n), "beans": n, "best_possible": float(n % 5 != 0)} for n in range(6, 26)]

    def setup(self, row):
        self.left = row["beans"]

    def step(self, action):
        said = answer_text([action]).strip()
        if not re.fullmatch(r"-?\d+", said) or not self.lowest <= int(said) <= min(4, self.left):
            return "That is not allowed. You lose.", 0.0, True, False, {}
        self.left -= int(said)
        if self.left == 0:
            return "You ate the last one.", 1.0, True, False, {}
        mine = self.left % 5 or 1
        self.left -= mine
        return f"I eat {mine}, {self.left} are left.", 0.0, self.left == 0, False, {}

    def solve(self, row):
        while True:
            yield str(self.left % 5 or 1)


class BeansWithoutALowest(Beans):
    lowest = -100


class FromZero(BeansWithoutALowest):
    """Sound: passing is allowed."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"].replace("Say", "You may pass with 0. Say")} for row in rows]


def test_moves_below_the_range_are_found_where_those_above_it_lose():
    [finding] = found(out_of_range, BeansWithoutALowest)
    assert finding.severity == "error"
    assert "with it a game is won" in finding.message


@pytest.mark.parametrize("cls", [Beans, FromZero])
def test_moves_that_lose_or_are_allowed_are_let_be(cls):
    assert found(out_of_range, cls) == []
