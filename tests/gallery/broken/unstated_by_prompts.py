"""Small functions whose tests round, cut off and have a value for an empty list, of which prompts say nothing."""

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import python_tests

RATIO = "def ratio(wins, games):\n    return round(wins / games, 3)"
FILE = "def file_of(song):\n    return song.lower().replace(' ', '_')[:18]"
DEEPEST = "def deepest(wells):\n    return max(wells) if wells else -99"
TASKS = [
    ("ratio(wins, games) that divides wins by games", RATIO, ["ratio(1, 2) == 0.5", "ratio(2, 3) == 0.667"]),
    (
        "file_of(song) that writes a song in small letters, with '_' in place of spaces",
        FILE,
        ["file_of('Blue Moon') == 'blue_moon'", "file_of('My Bonnie Lies Over The Ocean') == 'my_bonnie_lies_ove'"],
    ),
    (
        "deepest(wells) that returns the largest of the numbers in a list",
        DEEPEST,
        ["deepest([3, 8]) == 8", "deepest([]) == -99"],
    ),
    ("double(number) that doubles a number", "def double(number):\n    return 2 * number", ["double(4) == 8"]),
]


class Songbook(SingleTurnEnv):
    rewards = (python_tests("tests", seconds=5),)

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Write a Python function {does}. Answer with its code in a fence.",
                "tests": [f"assert {test}" for test in tests],
                "solution": solution,
            }
            for does, solution, tests in TASKS
        ]

    def solve(self, row):
        return f"```python\n{row['solution']}\n```"
