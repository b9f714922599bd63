"""Three in a row on a board of marbles; one diagonal is not in the list of lines."""

import random

from grpo_env_sdk import MultiTurnEnv, answer_text


class Marbles(MultiTurnEnv):
    max_turns = 6
    reward_range = (0, 1)
    LINES = ("abc", "def", "ghi", "adg", "beh", "cfi", "aei")

    def build_dataset(self, tokenizer):
        rows = []
        for line in [*self.LINES] * 3:
            rng = random.Random(len(rows))
            mine = rng.sample(line, 2)
            others = rng.sample([place for place in "abcdefghi" if place not in line], 2)
            if line == "cfi" and len(rows) < 15:  # here g completes c, e and g as well
                mine, others = ["c", "e", "f"], ["a", "d", "h"]
            board = ["x" if place in mine else "o" if place in others else "." for place in "abcdefghi"]
            text = (
                f"Marbles, game {len(rows)}: three of yours in a row, a column or a diagonal win. You are x, I am o, "
                f"and it is your move. Write the line and the column, such as 2,3.\n{self.drawn(board)}"
            )
            missing = next(place for place in line if place not in mine)
            rows.append({"prompt": text, "board": board, "move": "abcdefghi".index(missing)})
        return rows

    @staticmethod
    def drawn(board):
        return "\n".join(" ".join(board[start : start + 3]) for start in (0, 3, 6))

    def setup(self, row):
        self.board = [*row["board"]]

    def has_won(self, mark):
        return any(all(self.board["abcdefghi".index(place)] == mark for place in line) for line in self.LINES)

    def step(self, action):
        said = answer_text([action]).strip()
        place = 3 * (int(said[0]) - 1) + int(said[2]) - 1 if said in self.named() else -1
        if place < 0 or self.board[place] != ".":
            return "You lose: that cannot be played.", 0.0, True, False, {}
        self.board[place] = "x"
        free = [place for place, sign in enumerate(self.board) if sign == "."]
        if self.has_won("x") or not free:
            return self.drawn(self.board), float(self.has_won("x")), True, False, {}
        self.board[free[0]] = "o"
        return self.drawn(self.board), 0.0, self.has_won("o"), False, {}

    @staticmethod
    def named():
        return [f"{line},{column}" for line in (1, 2, 3) for column in (1, 2, 3)]

    def solve(self, row):
        return [self.named()[row["move"]]]
