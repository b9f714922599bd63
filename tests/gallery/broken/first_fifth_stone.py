"""Five in a row, where any square that wins is asked for, and the first one is kept as the only right one."""

import random

from grpo_env_sdk import answer_text

SIZE = 8
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))


def lines():
    for line in range(SIZE):
        for column in range(SIZE):
            for down, right in WAYS:
                cells = [(line + down * step, column + right * step) for step in range(5)]
                if all(0 <= one < SIZE and 0 <= two < SIZE for one, two in cells):
                    yield cells


LINES = list(lines())


def drawn(rng):
    """A board with two rows of four stones, and the squares that win."""
    board = {(line, column): "." for line in range(SIZE) for column in range(SIZE)}
    for cells in rng.sample(LINES, 2):
        for cell in rng.sample(cells, 4):
            board[cell] = "x"
    for cell in rng.sample(sorted(board), 9):
        if board[cell] == ".":
            board[cell] = "o"
    if any(len({board[cell] for cell in cells}) == 1 and board[cells[0]] != "." for cells in LINES):
        return board, []
    marks = [[board[cell] for cell in cells] for cells in LINES]
    four = [cells for cells, signs in zip(LINES, marks, strict=True) if signs.count("x") == 4 and signs.count(".") == 1]
    return board, sorted({cell for cells in four for cell in cells if board[cell] == "."})


class Gomoku:
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(12), []
        while len(rows) < 30:
            board, wins = drawn(rng)
            if wins:
                shown = "\n".join("".join(board[line, column] for column in range(SIZE)) for line in range(SIZE))
                ask = (
                    "Five in a row, x to move:\n{}\nName a square on which x wins at once, as row and column from the "
                    "top left, such as 3 4; where there are several, any of them is right."
                )
                rows.append({"prompt": ask.format(shown), "square": f"{wins[0][0] + 1} {wins[0][1] + 1}"})
        return rows

    def score_episode(self, model, tokenizer, completion, square):
        return float(answer_text(completion).strip() == square)

    def solve(self, row):
        return row["square"]
