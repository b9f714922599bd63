"""Boards whose lines win, and boards with a line that does not."""

import pytest

from grpo_env_sdk.checking.teaching.games.winning_lines import every_line_of_a_board_wins
from tests.checking.trying import found
from tests.gallery.broken.diagonal_forgotten import Marbles
from tests.gallery.broken.squares_taken_again import Crosses


class AllLines(Marbles):
    """Sound: every line wins."""

    LINES = ("abc", "def", "ghi", "adg", "beh", "cfi", "aei", "ceg")


class NoDiagonals(Marbles):
    """Sound: the prompt says that diagonals do not count."""

    LINES = ("abc", "def", "ghi", "adg", "beh", "cfi")

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        rule = "three of yours in a row win, across or down; a diagonal does not win."
        old = "three of yours in a row, a column or a diagonal win."
        return [{**row, "prompt": row["prompt"].replace(old, rule)} for row in rows]


class RowsAlone(NoDiagonals):
    """Sound: the prompt says three in a row and nothing of diagonals, and none of them wins."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [
            {**row, "prompt": row["prompt"].replace(", across or down; a diagonal does not win", "")} for row in rows
        ]


class EmptyBoards(Crosses):
    """Sound: a game from an empty board."""


class ForgottenColumn(Crosses):
    """A game from an empty board whose last column does not win."""

    def has_won(self, mark):
        last = {"2", "5", "8"}
        before = {place for place in range(9) if self.board[place] == mark and str(place) in last}
        return super().has_won(mark) and before != {2, 5, 8}


@pytest.mark.parametrize("cls", [Marbles, ForgottenColumn])
def test_a_line_that_does_not_win_is_found(cls):
    (finding,) = found(every_line_of_a_board_wins, cls)
    assert "squares 3-" in finding.message


@pytest.mark.parametrize("cls", [AllLines, NoDiagonals, RowsAlone, EmptyBoards])
def test_boards_whose_lines_win_are_let_be(cls):
    assert found(every_line_of_a_board_wins, cls) == []
