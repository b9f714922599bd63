"""Lines over squares of the other player do not win."""

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, reward, tool
from grpo_env_sdk.checking.teaching.games.board_rules import taken_squares_stay_taken
from tests.checking.trying import found

LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]


class Pebbles(MultiTurnEnv):
    """The prompt says which squares are taken, replies have words alone, and each may be taken again."""

    max_turns = 9
    reward_range = (0, 1)
    careful, loses_turn = False, False
    said = "Tic-tac-toe with pebbles on squares 1 to 9. You are X. {taken} Answer with one square."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.said.format(taken=self.told(one)), "theirs": one} for one in range(9)]

    def told(self, one):
        return f"The computer has taken square {one + 1}."

    def setup(self, row):
        self.board = [" "] * 9
        self.board[row["theirs"]] = "O"

    def has(self, mark):
        return any(all(self.board[int(at)] == mark for at in line) for line in LINES)

    def step(self, action):
        said = answer_text(action).strip()
        if said not in {*"123456789"}:
            return "One number.", 0.0, False, False, {}
        if self.careful and self.board[int(said) - 1] != " ":
            return "That one is not free.", 0.0, self.loses_turn, False, {}
        self.board[int(said) - 1] = "X"
        free = [at for at in range(9) if self.board[at] == " "]
        if self.has("X") or not free:
            return "It is over.", float(self.has("X")), True, False, {}
        self.board[free[-1]] = "O"
        return self.reply(free[-1]), 0.0, self.has("O"), False, {}

    def reply(self, at):
        return "Your turn."


class CarefulPebbles(Pebbles):
    careful = True


class PebblesUntilTheFirstMistake(CarefulPebbles):
    loses_turn = True


class PebblesCaptured(Pebbles):
    said = "Tic-tac-toe, squares 1 to 9; you are X and may capture O. {taken} Answer with one square."


class PebblesMisere(Pebbles):
    said = "Tic-tac-toe, squares 1 to 9, you are X; whoever has three in a row loses. {taken} Answer with one square."


class TwoOfYours(CarefulPebbles):
    """Squares of the model are told too, so that one act may win."""

    def told(self, one):
        return f"The computer has taken square {one + 1}; 2 of the others are yours."

    def setup(self, row):
        super().setup(row)
        for at in [at for at in (0, 4, 8, 2) if at != row["theirs"]][:2]:
            self.board[at] = "X"


class Drawn(Pebbles):
    """The prompt draws the board."""

    def told(self, one):
        signs = [*"123456789"]
        signs[one] = "O"
        return "The board:\n" + "\n".join(" ".join(signs[at : at + 3]) for at in (0, 3, 6)) + "\n"


class CarefulDrawn(Drawn):
    careful = True


class FromAnEmptyBoard(Pebbles):
    """The replies say what is taken."""

    def told(self, one):
        return f"Game {one}."

    def setup(self, row):
        self.board = [" "] * 9

    def reply(self, at):
        return f"I take {at + 1}."


class FlatBoards(FromAnEmptyBoard):
    """The replies draw the board in one line."""

    def reply(self, at):
        return "|".join(self.board)


class CarefulEmpty(FromAnEmptyBoard):
    careful = True


class CarefulFlat(FlatBoards):
    careful = True


class Tiles(ToolEnv):
    """The same with a tool."""

    max_turns = 9
    reward_range = (0, 1)
    careful, loses_turn = False, False
    said = "Noughts and crosses on squares 1 to 9. You are X. {taken}"
    build_dataset, told, setup, has, reply = (
        Pebbles.build_dataset, Pebbles.told, Pebbles.setup, Pebbles.has, Pebbles.reply,
    )  # fmt: skip

    @tool
    def lay(self, square: int) -> str:
        """Lay your tile on a square, 1 to 9."""
        if not 1 <= square <= 9 or (self.careful and self.board[square - 1] != " "):
            return "Not there."
        self.board[square - 1] = "X"
        free = [at for at in range(9) if self.board[at] == " "]
        if not self.has("X") and free:
            self.board[free[-1]] = "O"
        return "Laid."

    @reward
    def won(self):
        return float(self.has("X"))


class CarefulTiles(Tiles):
    careful = True


@pytest.mark.parametrize("flawed", [Pebbles, Drawn, FromAnEmptyBoard, FlatBoards, Tiles])
def test_a_line_over_a_taken_square_is_found(flawed):
    (finding,) = found(taken_squares_stay_taken, flawed)
    assert "although" in finding.message


@pytest.mark.parametrize(
    "sound",
    [
        CarefulPebbles, PebblesUntilTheFirstMistake, PebblesCaptured, PebblesMisere, TwoOfYours, CarefulDrawn,
        CarefulEmpty, CarefulFlat, CarefulTiles,
    ],
)  # fmt: skip
def test_squares_that_are_refused_or_captured_are_let_be(sound):
    assert found(taken_squares_stay_taken, sound) == []
