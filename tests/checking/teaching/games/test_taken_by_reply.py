"""Boards on which the stones of the other player can be covered, as replies show."""

import random
import re

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.games.board_rules import taken_squares_stay_taken as stay_taken
from tests.checking.trying import found

SQUARES = [f"{letter}{number}" for number in range(1, 5) for letter in "abcd"]


class Claims(MultiTurnEnv):
    """Who has more squares of a field in the end wins; the other side takes the first free one."""

    max_turns = 18
    refused = "XO"
    told = "Field {}: four lines of four squares, a1 to d1 above, a4 to d4 below.\n{}\nYou are X. Name an empty square."

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(14):
            field = random.Random(n).sample("XXOO............", 16)
            lines = "\n".join("".join(field[at : at + 4]) for at in range(0, 16, 4))
            rows.append({"prompt": self.told.format(n, lines), "field": "".join(field)})
        return rows

    def setup(self, row):
        self.field = list(row["field"])

    def refuse(self):
        return "This square is not empty. You lose.", 0.0, True, False, {}

    def step(self, action):
        said = answer_text([action]).strip()
        if said not in SQUARES:
            return "No square.", 0.0, True, False, {}
        if self.field[SQUARES.index(said)] in self.refused:
            return self.refuse()
        self.field[SQUARES.index(said)] = "X"
        if "." not in self.field:
            return "The field is full.", float(self.field.count("X") > 7), True, False, {}
        free = self.field.index(".")
        self.field[free] = "O"
        full = "." not in self.field
        return f"I claim {SQUARES[free]}.", float(full and self.field.count("X") > 7), full, False, {}

    def solve(self, row):
        while "." in self.field:
            yield SQUARES[15 - self.field[::-1].index(".")]


class ClaimsOverOthers(Claims):
    refused = "X"


class ClaimsThatAreLost(Claims):
    """Sound: who names a taken square, of whomever, loses the turn."""

    refused = ""

    def step(self, action):
        said = answer_text([action]).strip()
        kept = self.field[SQUARES.index(said)] if said in SQUARES else "."
        reply = super().step(action)
        if kept == "O":
            self.field[SQUARES.index(said)] = kept
        return reply


class ClaimsThatCapture(ClaimsOverOthers):
    """Sound: it is the rule."""

    told = Claims.told + " You may also capture a square of O."


class Crosses(MultiTurnEnv):
    """Noughts and crosses; the reply draws the board with spaces for what is free."""

    max_turns = 6
    over = False

    def build_dataset(self, tokenizer):
        told = "Party {}: tic-tac-toe. The squares are 1 to 9, line by line; you are X and begin. Name a free square."
        return [{"prompt": told.format(n), "order": random.Random(n).sample(range(9), 9)} for n in range(12)]

    def setup(self, row):
        self.board = [" "] * 9

    def has(self, mark):
        lines = ("012", "345", "678", "036", "147", "258", "048", "246")
        return any(all(self.board[int(at)] == mark for at in line) for line in lines)

    def step(self, action):
        said = answer_text([action]).strip()
        if not re.fullmatch("[1-9]", said) or (self.board[int(said) - 1] != " " and not self.over):
            return "You lose.", 0.0, True, False, {}
        self.board[int(said) - 1] = "X"
        free = [at for at in self.row["order"] if self.board[at] == " "]
        if self.has("X") or not free:
            return "It is over.", float(self.has("X")), True, False, {}
        self.board[free[0]] = "O"
        if self.has("O") or len(free) == 1:
            return "It is over.", 0.0, True, False, {}
        return "\n".join("|".join(self.board[at : at + 3]) for at in (0, 3, 6)), 0.0, False, False, {}


class CrossesOver(Crosses):
    over = True


@pytest.mark.parametrize("cls", [ClaimsOverOthers, CrossesOver])
def test_squares_of_the_other_side_that_can_be_covered_are_found(cls):
    [finding] = found(stay_taken, cls)
    assert finding.severity == "error"
    assert "can be taken again" in finding.message


@pytest.mark.parametrize("cls", [Claims, ClaimsThatAreLost, ClaimsThatCapture, Crosses])
def test_squares_that_stay_taken_are_let_be(cls):
    assert found(stay_taken, cls) == []
