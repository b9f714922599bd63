"""What the offline judge can be cheated of: measured on held-out rows, bounded, and told in the README."""

from pathlib import Path

import pytest
from grpo_env_sdk import evaluate

from grpo_env_judge import JudgeEnv
from grpo_env_judge.facts import DAYS, EVENTS, PRICES, ROOMS, TIMES
from grpo_env_judge.rows import make_rows

README = Path(__file__).parent.parent / "README.md"
ROWS = 200
FIXED = "The film night is on Friday at 18:00 in room 12 and costs 9 euros."
ALL = f"It is {' and '.join(EVENTS + DAYS)} at {' and '.join(TIMES + ROOMS + PRICES)}."


@pytest.fixture(scope="module")
def rows():
    return make_rows("test", 0)[:ROWS]


def gold(row):
    return JudgeEnv().solve(row)


def facts_alone(row):
    return " ".join([row["event"], row["day"], row["time"], row["place"], row["price"]])


STRATEGIES = {
    "the gold notice": (gold, 1.0),
    "doing nothing": (lambda row: "", 0.0),
    "the best constant answer": (lambda row: FIXED, 0.1),
    "everything that there is, in one line": (lambda row: ALL, 0.0),
    "a sentence without facts": (lambda row: "The event is soon and costs as much as it always does.", 0.0),
    "a hundred thousand letters": (lambda row: "a" * 100_000, 0.0),
    "the prompt, copied": (lambda row: row["prompt"][1]["content"], 0.0),
    "the prompt, copied into one line": (lambda row: row["prompt"][1]["content"].replace("\n", " "), 0.4),
    "the facts and no sentence": (facts_alone, 0.3),
    "the gold notice without its day": (lambda row: gold(row).replace(f"on {row['day']} ", ""), 0.8),
    "the gold notice, twice": (lambda row: f"{gold(row)} {gold(row)}", 0.75),
}
"""What a strategy says to a row, and the most that it may be worth."""


@pytest.mark.parametrize("told", STRATEGIES)
def test_a_strategy_is_worth_what_the_readme_says(told, rows):
    says, most = STRATEGIES[told]
    env = JudgeEnv()
    scores = [
        env.score_episode(None, None, [{"role": "assistant", "content": says(row)}], **row) for row in rows
    ]
    mean = sum(scores) / len(scores)
    assert mean <= most + 1e-9
    assert f"| {told} | {mean:.2f} |" in README.read_text(encoding="utf-8")


def test_random_text_is_worth_what_the_readme_says():
    found = evaluate("judge-v1", "random", split="test", rows=ROWS).summary
    assert found["errors"] == {}
    assert f"| random text | {found['reward']['mean']:.2f} |" in README.read_text(encoding="utf-8")


def test_the_code_in_the_readme_runs_and_prints_what_it_says(capsys):
    block = README.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    exec(block, {})
    told = [line.partition("# prints ")[2] for line in block.splitlines() if "# prints " in line]
    assert capsys.readouterr().out.splitlines() == told
