"""The rows of the dataset: a task in words with one example, and the hidden tests."""

import hashlib
from itertools import product
from random import Random
from typing import Any, Literal

from grpo_env_code.steps import CHANGE, GIVE, KEEP, Task

Split = Literal["train", "test"]
TESTS = 6
ASKED = (
    "Write a Python function solution(numbers) that takes a list of whole numbers. {words}\n"
    "For example, solution({numbers}) returns {result}.\n"
    "Answer with one block of Python code."
)


def make_rows(split: Split, seed: int) -> list[dict[str, Any]]:
    """The rows of one split, in the same order in every process; every fifth task is held out."""
    tasks = [task for task in all_tasks() if _split_of(task) == split]
    Random(f"code/{seed}").shuffle(tasks)
    return [_row(task, seed) for task in tasks]


def all_tasks() -> list[Task]:
    """Every task that the steps make."""
    return [Task(*steps) for steps in product(KEEP, CHANGE, GIVE)]


def _split_of(task: Task) -> Split:
    digest = hashlib.blake2b(task.words.encode(), digest_size=4).digest()
    return "test" if int.from_bytes(digest) % 5 == 0 else "train"


def _row(task: Task, seed: int) -> dict[str, Any]:
    rng = Random(f"code/{seed}/{task.words}")
    function = task.function
    example, *lists = [[rng.randint(-12, 20) for _ in range(rng.randint(5, 9))] for _ in range(TESTS)]
    inputs = [*lists, []]
    asked = ASKED.format(words=task.words, numbers=example, result=function(example))
    return {
        "prompt": [{"role": "user", "content": asked}],
        "tests": [f"assert solution({numbers}) == {function(numbers)!r}" for numbers in inputs],
        "code": task.code,
    }
