"""Acts that the rules of a task refuse are found where they pay, and sound environments are not accused."""

import random
from collections import deque

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.games.board_rules import maps_end_at_their_edges, taken_squares_stay_taken
from tests.checking.trying import found

WAYS = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}


class Harbour(MultiTurnEnv):
    """A tug goes from the quay in the north west to the buoy in the south east, past sandbanks."""

    max_turns, reward_range, closed = 30, (0, 1), False
    start, end = "Q", "B"

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(3), []
        while len(rows) < 10:
            chart = ["".join(rng.choice("~~~%") for _ in range(5)) for _ in range(4)]
            chart[0], chart[3] = self.start + chart[0][1:], chart[3][:4] + self.end
            if len(self.way(chart)) == 7:
                text = (
                    "Sail from the north west to the south east; % is sand. Each message is north, south, east or west."
                )
                rows.append({"prompt": "\n".join([text, *chart]), "chart": chart})
        return rows

    def way(self, chart):
        waiting, seen = deque([((0, 0), [])]), {(0, 0)}
        while waiting:
            (line, column), way = waiting.popleft()
            if (line, column) == (3, 4):
                return way
            for name, (down, right) in WAYS.items():
                at = (line + down, column + right)
                if at not in seen and 0 <= at[0] < 4 and 0 <= at[1] < 5 and chart[at[0]][at[1]] != "%":
                    seen.add(at)
                    waiting.append((at, [*way, name]))
        return []

    def setup(self, row):
        self.at = (0, 0)

    def step(self, action):
        down, right = WAYS.get(answer_text([action]).strip().lower(), (9, 9))
        line, column = self.at[0] + down, self.at[1] + right
        outside = line > 3 or column > 4 or (self.closed and min(line, column) < 0) or line < -4 or column < -5
        if outside or self.row["chart"][line][column] == "%":
            return "You run aground.", 0.0, False, False, {}
        self.at = (line, column)
        done = (line % 4, column % 5) == (3, 4)
        return "You sail on.", min(1.0, 7 / self.turns) if done else 0.0, done, False, {}

    def solve(self, row):
        return self.way(row["chart"])


class UnmarkedHarbour(Harbour):
    start, end = "~", "~"


class ClosedHarbour(Harbour):
    closed = True


class ClosedUnmarkedHarbour(UnmarkedHarbour):
    closed = True


class RoundHarbour(Harbour):
    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"The sea wraps around.\n{row['prompt']}"} for row in rows]


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Tiles(MultiTurnEnv):
    """Red and blue tiles on nine squares, of which each line may be full of them."""

    max_turns, reward_range, overwrites, wording = 5, (0, 1), True, "Three in a row win."
    refusal = "There is a tile already."

    def build_dataset(self, tokenizer):
        boards = ["R........", ".R.......", "....R....", "........R", "..R......", "......R.."]
        text = f"You lay blue tiles (B) on squares 1 to 9. {self.wording}\n"
        return [{"prompt": text + self.drawn(list(board)), "board": board} for board in boards]

    def drawn(self, board):
        return "\n".join("".join(board[i : i + 3]) for i in (0, 3, 6))

    def setup(self, row):
        self.board = list(row["board"])

    def step(self, action):
        text = answer_text([action]).strip()
        if text not in [*"123456789"]:
            return "A number from 1 to 9.", 0.0, False, False, {}
        if self.board[int(text) - 1] != "." and not self.overwrites:
            return f"{self.drawn(self.board)}\n{self.refusal}", 0.0, False, False, {}
        self.board[int(text) - 1] = "B"
        if any(all(self.board[i] == "B" for i in line) for line in LINES):
            return self.drawn(self.board), 1.0, True, False, {}
        if "." not in self.board:
            return "Full.", 0.5, True, False, {}
        self.board[self.board.index(".")] = "R"
        return self.drawn(self.board), 0.0, False, False, {}


class PoliteTiles(Tiles):
    overwrites = False


class TilesThatReplace(Tiles):
    wording = "Three in a row win; a tile laid on another replaces it."


@pytest.mark.parametrize("cls", [Harbour, UnmarkedHarbour])
def test_a_way_over_the_edge_of_a_map_that_only_the_prompt_draws_is_found(cls):
    (finding,) = found(maps_end_at_their_edges, cls)
    assert "leaves the map" in finding.message
    assert "north" in finding.message


@pytest.mark.parametrize("cls", [ClosedHarbour, ClosedUnmarkedHarbour, RoundHarbour])
def test_maps_that_end_or_wrap_as_they_say_are_not_accused(cls):
    assert not found(maps_end_at_their_edges, cls)


def test_a_taken_square_is_found_where_full_lines_of_a_board_are_words():
    (finding,) = found(taken_squares_stay_taken, Tiles)
    assert "mark over another" in finding.message


@pytest.mark.parametrize("cls", [PoliteTiles, TilesThatReplace])
def test_boards_that_keep_their_squares_are_not_accused(cls):
    assert not found(taken_squares_stay_taken, cls)
