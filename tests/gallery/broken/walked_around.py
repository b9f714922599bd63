"""Cells are looked up with whatever index a way leads to, and -1 is the last one."""

import random
from collections import deque

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WAYS = {"N": (-1, 0), "S": (1, 0), "W": (0, -1), "E": (0, 1)}
SIZE = 5


def shortest(field):
    places = {(line, column): sign for line, text in enumerate(field) for column, sign in enumerate(text)}
    start = next(place for place, sign in places.items() if sign == "A")
    waiting, seen = deque([(start, "")]), {start}
    while waiting:
        (line, column), way = waiting.popleft()
        if places[line, column] == "B":
            return way
        for letter, (down, right) in WAYS.items():
            there = (line + down, column + right)
            if places.get(there, "#") != "#" and there not in seen:
                seen.add(there)
                waiting.append((there, way + letter))
    return ""


class Pasture(SingleTurnEnv):
    fenced = False

    def build_dataset(self, tokenizer):
        rows, number = [], 0
        while len(rows) < 24:
            rng = random.Random(number := number + 1)
            signs = rng.sample(["#"] * 7 + ["."] * (SIZE * SIZE - 9) + ["A", "B"], SIZE * SIZE)
            field = ["".join(signs[start : start + SIZE]) for start in range(0, SIZE * SIZE, SIZE)]
            if len(shortest(field)) > 3:
                text = "\n".join(field)
                task = "Walk from A to B, not through #. Answer with letters of N, S, W and E, such as NNE."
                rows.append({"prompt": f"A fenced pasture:\n{text}\n{task}", "field": field})
        return rows

    @reward
    def arrived(self, completion, field):
        line = next(place for place, text in enumerate(field) if "A" in text)
        column = field[line].index("A")
        for letter in answer_text(completion).strip():
            down, right = WAYS.get(letter, (99, 99))
            line, column = line + down, column + right
            if max(line, column) >= SIZE or (self.fenced and min(line, column) < 0) or min(line, column) < -SIZE:
                return 0.0
            if field[line][column] == "#":
                return 0.0
        return field[line][column] == "B"

    def solve(self, row):
        return shortest(row["field"])
