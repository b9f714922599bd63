"""Boards are shuffled freely, not by moves, so that half of them cannot be put in order."""

from itertools import permutations

from grpo_env_sdk import MultiTurnEnv

GOAL = [1, 2, 3, 0]
MOVES = {"up": -2, "down": 2, "left": -1, "right": 1}


def show(board):
    return f"{board[0]} {board[1]}\n{board[2]} {board[3]}".replace("0", "_")


class SlidingTiles(MultiTurnEnv):
    max_turns = 16
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        text = "Bring the tiles into the order 1 2 / 3 _. Say up, down, left or right to move the gap.\n"
        boards = [list(board) for board in permutations(GOAL) if list(board) != GOAL]
        return [{"prompt": text + show(board), "board": board} for board in boards]

    def setup(self, row):
        self.board = list(row["board"])

    def step(self, action):
        gap, move = self.board.index(0), action["content"].strip()
        to = gap + MOVES.get(move, 9)
        if not 0 <= to < 4 or (move in ("left", "right") and gap // 2 != to // 2):
            return f"That is not possible.\n{show(self.board)}", 0.0, False, False, {}
        self.board[gap], self.board[to] = self.board[to], 0
        solved = self.board == GOAL
        return "Solved." if solved else show(self.board), float(solved), solved, False, {}
