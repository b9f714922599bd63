"""A square that the other player has taken can be taken again."""

import random

from grpo_env_sdk import MultiTurnEnv, answer_text

LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]


class Crosses(MultiTurnEnv):
    max_turns = 6
    reward_range = (0, 1)
    careful = False

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(24):
            habit = random.Random(number).sample(range(9), 9)
            text = (
                f"Game {number}: you are x and I am o. Three in a row win. Each message is one of the numbers on the "
                f"board:\n{self.drawn([*'123456789'])}"
            )
            rows.append({"prompt": text, "habit": habit})
        return rows

    @staticmethod
    def drawn(board):
        return "\n".join(" | ".join(board[start : start + 3]) for start in (0, 3, 6))

    def setup(self, row):
        self.board = [*"123456789"]

    def has_won(self, mark):
        return any(all(self.board[int(place)] == mark for place in line) for line in LINES)

    def step(self, action):
        said = answer_text([action]).strip()
        taken = said in [*"123456789"] and self.board[int(said) - 1] in "xo"
        if said not in [*"123456789"] or (taken and self.careful):
            return "You lose: that cannot be played.", 0.0, True, False, {}
        self.board[int(said) - 1] = "x"
        free = [place for place in self.row["habit"] if self.board[place] not in "xo"]
        if self.has_won("x") or not free:
            return self.drawn(self.board), float(self.has_won("x")), True, False, {}
        self.board[free[0]] = "o"
        return self.drawn(self.board), 0.0, self.has_won("o"), False, {}

    def solve(self, row):
        for line in LINES:
            mine = [int(place) for place in line]
            others = [place for place in row["habit"] if place not in mine]
            if not set(row["habit"][:2]) & set(mine) or sorted(others[:2]) == sorted(row["habit"][:2]):
                return [str(place + 1) for place in mine]
        return []
