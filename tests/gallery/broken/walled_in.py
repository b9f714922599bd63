"""Walls are drawn at random, and in some mazes they cut off the goal."""

import random
from typing import Literal

from grpo_env_sdk import ToolEnv, call_message, reward, tool

WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}


def after(at, way, walls):
    to = [at[0] + WAYS[way][0], at[1] + WAYS[way][1]]
    return to if all(0 <= place < 4 for place in to) and to not in walls else None


class Maze(ToolEnv):
    max_turns = 20

    def build_dataset(self, tokenizer):
        r = random.Random(1)
        fields = [[x, y] for x in range(4) for y in range(4) if [x, y] not in ([0, 0], [3, 3])]
        return [
            {
                "prompt": f"Maze {n}: walk from the north-west to the south-east corner.",
                "walls": r.sample(fields, 5),
            }
            for n in range(24)
        ]

    def setup(self, row):
        self.at = [0, 0]

    @tool
    def walk(self, way: Literal["north", "south", "east", "west"]) -> str:
        """Walk one field.

        Args:
            way: In which direction.
        """
        to = after(self.at, way, self.row["walls"])
        self.at = to or self.at
        return f"You are at {to}." if to else "A wall."

    @reward
    def arrived(self):
        return self.at == [3, 3]

    def solve(self, row):
        paths = [([0, 0], [])]
        seen = [[0, 0]]
        for at, path in paths:
            if at == [3, 3]:
                break
            for way in WAYS:
                to = after(at, way, row["walls"])
                if to and to not in seen:
                    seen.append(to)
                    paths.append((to, [*path, way]))
        for way in path:
            yield call_message("walk", way=way)
        yield "Done."
