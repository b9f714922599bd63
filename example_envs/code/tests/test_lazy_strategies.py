"""What can be had without doing the task: measured on held-out rows, and compared with the README."""

from pathlib import Path

import pytest

from grpo_env_code import CodeEnv
from grpo_env_code.rows import make_rows

README = Path(__file__).parent.parent / "README.md"
ROWS = 15


def returning(result):
    return f"def solution(numbers):\n    return {result}"


def example_result(row):
    return row["prompt"][0]["content"].split(" returns ")[1].splitlines()[0].removesuffix(".")


EQUAL = "class Equal:\n    def __eq__(self, other): return True\ndef solution(numbers): return Equal()"
STRATEGIES = {
    "the gold answer": (CodeEnv().solve, 1.0),
    "doing nothing": (lambda row: "", 0.0),
    "the result of the example": (lambda row: returning(example_result(row)), 0.0),
    "the numbers as they are": (lambda row: returning("numbers"), 0.1),
    "ending the process": (lambda row: "import os\nos._exit(0)", 0.0),
    "an object that equals everything": (lambda row: EQUAL, 0.0),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_scores_what_the_readme_says(name):
    answer, most = STRATEGIES[name]
    env = CodeEnv()
    rows = make_rows("test", 0)[:ROWS]
    scores = [
        env.score_episode(None, None, [{"role": "assistant", "content": answer(row)}], **row) for row in rows
    ]
    mean = sum(scores) / len(scores)
    assert mean <= most
    assert f"| {name} | {mean:.2f} |" in README.read_text(encoding="utf-8")


def test_the_code_in_the_readme_runs_and_prints_what_it_says(capsys):
    block = README.read_text(encoding="utf-8").split("```python\n", 1)[1].split("\n```\n\n## The task")[0]
    exec(block, {})
    printed = [line.partition("# prints ")[2] for line in block.splitlines() if "# prints " in line]
    assert capsys.readouterr().out.splitlines() == printed
