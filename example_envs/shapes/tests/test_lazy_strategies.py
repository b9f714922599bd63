"""What can be had without looking: measured on held-out rows, bounded, and told in the README."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from grpo_env_sdk import evaluate

from grpo_env_shapes import ShapesEnv
from grpo_env_shapes.scene import COLOURS, MOST

README = Path(__file__).parent.parent / "README.md"
CONFIGS = ({"questions": ["count"]}, {"questions": ["colour"]}, {})
ANSWERS = [*map(str, range(1, MOST + 1)), *COLOURS]


@cache
def rows_of(place, split):
    return list(ShapesEnv(**CONFIGS[place]).build_dataset(None, split=split))


@cache
def most_frequent(place):
    """The answer that most rows of training have."""
    return Counter(row["answer"] for row in rows_of(place, "train")).most_common(1)[0][0]


STRATEGIES = {
    "the gold answer": (lambda row, place: ShapesEnv().solve(row), 1.0),
    "doing nothing": (lambda row, place: "", 0.0),
    "the best constant answer": (lambda row, place: f"Answer: {most_frequent(place)}", 0.5),
    "the form without a value": (lambda row, place: "Answer: X", 0.2),
    "every answer in turn": (lambda row, place: "\n".join(f"Answer: {each}" for each in ANSWERS), 0.3),
    "the right answer without the form": (lambda row, place: row["answer"], 0.8),
}
"""What a strategy says to a row of a config, and the most that it may be worth."""


@pytest.mark.parametrize("told", STRATEGIES)
def test_a_strategy_is_worth_what_the_readme_says(told):
    says, most = STRATEGIES[told]
    means = []
    for place in range(len(CONFIGS)):
        scores = [score(row, says(row, place)) for row in rows_of(place, "test")]
        means.append(sum(scores) / len(scores))
    assert max(means) <= most + 1e-9
    assert_told(told, means)


def test_random_text_is_worth_what_the_readme_says():
    found = [evaluate("shapes-v1", "random", config=config, split="test").summary for config in CONFIGS]
    assert all(summary["errors"] == {} for summary in found)
    assert_told("random text", [summary["reward"]["mean"] for summary in found])


def score(row, text):
    """What a text is worth as the answer of a row."""
    return ShapesEnv().score_episode(None, None, [{"role": "assistant", "content": text}], **row)


def assert_told(strategy, means):
    """Raise where the table of the README says something else."""
    scores = " | ".join(f"{mean:.2f}" for mean in means)
    assert f"| {strategy} | {scores} |" in README.read_text(encoding="utf-8"), scores


def test_the_code_in_the_readme_runs_and_prints_what_it_says(capsys):
    block = README.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    exec(block, {})
    told = [line.partition("# prints ")[2] for line in block.splitlines() if "# prints " in line]
    assert capsys.readouterr().out.splitlines() == told
