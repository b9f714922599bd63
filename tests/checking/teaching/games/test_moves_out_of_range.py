"""Moves below the range, where those above it lose the game."""

import re

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.games.moves_out_of_range import moves_out_of_range_are_refused as out_of_range
from tests.checking.trying import found


class Beans(MultiTurnEnv):
    """Who eats the last bean wins; a move that is not allowed loses at once."""

    max_turns = 25
    lowest, highest = 1, 4

    def build_dataset(self, tokenizer):
        told = "A bowl holds {} beans. We eat from 1 to 4 in turn, and you begin; the last one wins. Say how many."
        return [{"prompt": told.format(n), "beans": n, "best_possible": float(n % 5 != 0)} for n in range(6, 26)]

    def setup(self, row):
        self.left = row["beans"]

    def step(self, action):
        said = answer_text([action]).strip()
        if not re.fullmatch(r"-?\d+", said) or not self.lowest <= int(said) <= min(self.highest, self.left):
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


class BeansWithoutAHighest(Beans):
    """No pass is allowed, and the loser gets 0; but any number from 1 on is taken."""

    highest = 100

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        rules = "You may not pass. A win pays 1, a loss 0. Say"
        return [
            {**row, "prompt": row["prompt"].replace("Say", rules).replace("1 to 4", "one to four")} for row in rows
        ]  # fmt: skip


class BeansThatMayBePassed(BeansWithoutAHighest):
    """Likewise, with nothing above but 0 as a move."""

    lowest, highest = 0, 4


class AtTheNearest(BeansWithoutAHighest):
    """Sound: a number out of the range is read as the nearest legal one."""

    lowest = -100

    def step(self, action):
        said = answer_text([action]).strip()
        near = str(min(4, max(1, int(said)))) if re.fullmatch(r"-?\d+", said) else said
        return super().step({"role": "assistant", "content": near})


class BeansOfATool(ToolEnv):
    """The same with a tool."""

    max_turns, lowest = 25, -100

    def build_dataset(self, tokenizer):
        return Beans().build_dataset(tokenizer)

    def setup(self, row):
        self.left, self.state = row["beans"], "open"

    @tool
    def eat(self, beans: int) -> str:
        """Eat some beans.

        Args:
            beans: How many.
        """
        if self.state != "open":
            return f"The game is {self.state}."
        if not self.lowest <= beans <= min(4, self.left):
            self.state = "lost"
            return "That is not allowed. You lose."
        self.left -= beans
        if self.left == 0:
            self.state = "won"
            return "You ate the last one."
        mine = self.left % 5 or 1
        self.left -= mine
        if self.left == 0:
            self.state = "lost"
        return f"I eat {mine}, {self.left} are left."

    @reward
    def won(self):
        return self.state == "won"

    def solve(self, row):
        while self.state == "open":
            yield call_message("eat", beans=self.left % 5 or 1)
        yield "Done."


class BeansOfAStrictTool(BeansOfATool):
    lowest = 1


class BeansOfAToolThatTells(BeansOfATool):
    """Only the tool says how many."""

    def build_dataset(self, tokenizer):
        return [
            {**row, "prompt": row["prompt"].replace("We eat from 1 to 4 in turn", "We eat in turn")}
            for row in super().build_dataset(tokenizer)
        ]  # fmt: skip

    @tool
    def eat(self, beans: int) -> str:
        """Eat some beans.

        Args:
            beans: How many, from 1 to 4.
        """
        return BeansOfATool.eat(self, beans)


class Higher(MultiTurnEnv):
    """Sound: numbers out of the range are only guesses that are wrong."""

    max_turns = 12

    def build_dataset(self, tokenizer):
        told = "Round {}: guess my number from 1 to 50; I say if mine is higher or lower. You win if you find it."
        return [{"prompt": told.format(n), "mine": 7 * n % 50 + 1} for n in range(20)]

    def step(self, action):
        said = answer_text([action]).strip()
        if not said.isdecimal():
            return "A number, please.", 0.0, False, False, {}
        mine = self.row["mine"]
        if int(said) == mine:
            return "Found!", 1.0, True, False, {}
        return "Higher." if int(said) < mine else "Lower.", 0.0, False, False, {}

    def solve(self, row):
        return [str(row["mine"])]


class FromZero(BeansWithoutALowest):
    """Sound: passing is allowed."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": row["prompt"].replace("Say", "You may pass with 0. Say")} for row in rows]


@pytest.mark.parametrize(
    ("cls", "number"),
    [(BeansWithoutAHighest, "5"), (BeansThatMayBePassed, "0"), (BeansOfATool, "0"), (BeansOfAToolThatTells, "0")],
)
def test_a_move_that_is_ruled_out_and_wins_is_found(cls, number):
    [finding] = found(out_of_range, cls)
    assert finding.severity == "error"
    assert finding.message.startswith(f"The number {number}, ")


def test_moves_below_the_range_are_found_where_those_above_it_lose():
    [finding] = found(out_of_range, BeansWithoutALowest)
    assert finding.severity == "error"
    assert "with it a game is won" in finding.message


@pytest.mark.parametrize("cls", [Beans, FromZero, AtTheNearest, BeansOfAStrictTool, Higher])
def test_moves_that_lose_or_are_allowed_are_let_be(cls):
    assert found(out_of_range, cls) == []
