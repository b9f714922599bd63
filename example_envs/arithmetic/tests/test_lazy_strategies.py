"""What can be had without calculating: measured on held-out rows, bounded, and told in the README."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from grpo_env_sdk import evaluate

from grpo_env_arithmetic import ArithmeticEnv
from grpo_env_arithmetic.rows import make_rows

README = Path(__file__).parent.parent / "README.md"
CONFIGS = (
    {"depth": 1, "operators": ["+"], "low": 0, "high": 9},
    {},
    {"depth": 4, "operators": ["+", "-", "*", "/"]},
)
ROWS = 200


@cache
def rows_of(place, split):
    env = ArithmeticEnv(**CONFIGS[place])
    return make_rows(env.shape, split, env.seed)


@cache
def most_frequent(place):
    """The answer that most rows of training have."""
    return Counter(row["answer"] for row in rows_of(place, "train")).most_common(1)[0][0]


STRATEGIES = {
    "the gold answer": (lambda row, place: ArithmeticEnv().solve(row), 1.0),
    "doing nothing": (lambda row, place: "", 0.0),
    "the best constant answer": (lambda row, place: f"Answer: {most_frequent(place)}", 0.3),
    "the form without a number": (lambda row, place: "Answer: N", 0.0),
    "every number from 0 to 99": (lambda row, place: "\n".join(f"Answer: {n}" for n in range(100)), 0.0),
    "the right number without the form": (lambda row, place: str(row["answer"]), 0.8),
    "the right answer after 300 words": (lambda row, place: f"{'so ' * 300}\nAnswer: {row['answer']}", 0.8),
}
"""What a strategy says to a row of a config, and the most that it may be worth."""


@pytest.mark.parametrize("told", STRATEGIES)
def test_a_strategy_is_worth_what_the_readme_says(told):
    says, most = STRATEGIES[told]
    means = []
    for place, config in enumerate(CONFIGS):
        env, rows = ArithmeticEnv(**config), rows_of(place, "test")[:ROWS]
        scores = [score(env, row, says(row, place)) for row in rows]
        means.append(sum(scores) / len(scores))
    assert max(means) <= most + 1e-9
    assert_told(told, means)


def test_random_text_is_worth_what_the_readme_says():
    found = [
        evaluate(
            "arithmetic-v1",
            "random",
            config=config,
            split="test",
            rows=min(ROWS, len(rows_of(place, "test"))),
        ).summary
        for place, config in enumerate(CONFIGS)
    ]
    assert all(summary["errors"] == {} for summary in found)
    assert_told("random text", [summary["reward"]["mean"] for summary in found])


def score(env, row, text):
    """What a text is worth as the answer of a row."""
    return env.score_episode(None, None, [{"role": "assistant", "content": text}], **row)


def assert_told(strategy, means):
    """Raise where the table of the README says something else."""
    scores = " | ".join(f"{mean:.2f}" for mean in means)
    assert f"| {strategy} | {scores} |" in README.read_text(encoding="utf-8")


def test_the_code_in_the_readme_runs_and_prints_what_it_says(capsys):
    block = README.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    exec(block, {})
    told = [line.partition("# prints ")[2] for line in block.splitlines() if "# prints " in line]
    assert capsys.readouterr().out.splitlines() == told
