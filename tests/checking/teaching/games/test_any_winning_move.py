"""Several winning moves of a board, of which a prompt says that any is right."""

import random
from typing import Any

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.teaching.games.any_winning_move import any_winning_move_is_right as any_move
from tests.checking.trying import found

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def wins_of(board: str) -> list[int]:
    """The squares on which X wins."""
    lines = [[board[place] for place in line] for line in LINES]
    if "XXX" in map("".join, lines) or "OOO" in map("".join, lines):
        return []
    return sorted(
        {line[signs.index(".")] for line, signs in zip(LINES, lines, strict=True) if sorted(signs) == [*".XX"]}
    )


def positions() -> list[str]:
    rng = random.Random(3)
    drawn = ("".join(rng.sample("XXXXOOO..", 9)) for _ in range(400))
    chosen = [board for board in dict.fromkeys(drawn) if wins_of(board)]
    several = [board for board in chosen if len(wins_of(board)) > 1]
    return several[:8] + [board for board in chosen if board not in several][:14]


class Crosses:
    """The first square that wins is kept as the answer."""

    ASK = "Noughts and crosses, X to move.\n{}\nName a square that wins, from 1 to 9; of several, any one is right."

    def build_dataset(self, tokenizer: Any) -> Any:
        return [
            {"prompt": self.ask(board), "board": board, "square": str(wins_of(board)[0] + 1)} for board in positions()
        ]

    def ask(self, board: str) -> str:
        return self.ASK.format("\n".join(board[start : start + 3] for start in (0, 3, 6)))

    def score_episode(self, model: Any, tokenizer: Any, completion: Any, square: str, board: str) -> float:
        return float(answer_text(completion) == square)

    def solve(self, row: Any) -> str:
        return str(row["square"])


class AnyCross(Crosses):
    """Every square that wins is right."""

    def score_episode(self, model: Any, tokenizer: Any, completion: Any, square: str, board: str) -> float:
        return float(answer_text(completion) in [str(place + 1) for place in wins_of(board)])


class FirstCross(Crosses):
    """The first one is asked for."""

    ASK = "Noughts and crosses, X to move.\n{}\nName the first square that wins, from 1 to 9; any time will do."


class OtherMove(Crosses):
    """A square is asked for that has nothing to do with winning."""

    ASK = "Noughts and crosses, X to move.\n{}\nWhere would a beginner put it, from 1 to 9? You may use any of these."

    def build_dataset(self, tokenizer: Any) -> Any:
        return [{**row, "square": str(row["board"].index(".") + 1)} for row in super().build_dataset(tokenizer)]


def test_a_winning_move_that_is_not_the_first_is_found_to_lose() -> None:
    (finding,) = found(any_move, Crosses)
    assert "any of them" in finding.message


@pytest.mark.parametrize("cls", [AnyCross, FirstCross, OtherMove])
def test_moves_that_are_right_as_the_prompt_says_are_let_be(cls: type) -> None:
    assert found(any_move, cls) == []
