import json
import os
import subprocess
import sys
from random import Random

import pytest

from grpo_env_arithmetic import ArithmeticEnv
from grpo_env_arithmetic.expressions import draw_expression
from grpo_env_arithmetic.rows import make_rows
from grpo_env_arithmetic.shape import Shape

USUAL = Shape(2, ("+", "-", "*"), 1, 20)
ROWS = """
import json, random
from grpo_env_arithmetic.rows import make_rows
from grpo_env_arithmetic.shape import Shape
random.seed(7)
print(json.dumps(make_rows(Shape(2, ("+", "-", "*"), 1, 20), "test", 0)))
"""


def turned(row):
    """The text of a sum of two numbers, the other way round."""
    return " + ".join(reversed(row["expression"].split(" + ")))


def test_there_are_2000_rows_to_train_on_and_500_held_out():
    env = ArithmeticEnv()
    train, test = env.build_dataset(None), env.build_dataset(None, split="test")
    assert (len(train), len(test)) == (2000, 500)
    ours, held = ({row["expression"] for row in rows} for rows in (train, test))
    assert len(ours) == 2000
    assert not ours & held


def test_a_sum_the_other_way_round_is_in_the_same_split():
    sums = Shape(1, ("+",), 0, 9)
    train, test = (make_rows(sums, split, 0) for split in ("train", "test"))
    assert len(train) + len(test) == 100
    assert not {turned(row) for row in train} & {row["expression"] for row in test}


def test_rows_are_the_same_in_another_process_whatever_its_hash_seed():
    shown = subprocess.run(
        [sys.executable, "-c", ROWS],
        env={**os.environ, "PYTHONHASHSEED": "123", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(shown.stdout) == make_rows(USUAL, "test", 0)


def test_another_seed_draws_other_expressions():
    first, second = ({row["expression"] for row in make_rows(USUAL, "test", seed)} for seed in (0, 1))
    assert len(first & second) < 50


def test_the_prompt_asks_for_the_expression_and_not_for_more():
    row = make_rows(USUAL, "test", 0)[0]
    assert row["prompt"][1]["content"] == f"What is {row['expression']} ?"
    assert ArithmeticEnv().solve(row) == f"Answer: {row['answer']}"


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"depth": 0}, "depth is 0; it can be 1 to 5"),
        ({"depth": 6}, "depth is 6; it can be 1 to 5"),
        ({"operators": []}, r"operators is \[\]; it can be some of \+, -, \*, /"),
        ({"operators": ["^"]}, r"operators is \['\^'\]"),
        ({"low": 5, "high": 4}, "low is 5 and high is 4; .* low not above high"),
        ({"low": -5000}, "from -1000 to 1000"),
    ],
)
def test_config_that_cannot_be_is_told_with_what_can(config, told):
    with pytest.raises(ValueError, match=told):
        ArithmeticEnv(**config)


@pytest.mark.parametrize(
    "config",
    [
        {"depth": 1, "operators": ["+"], "low": 3, "high": 3},
        {"depth": 5, "operators": ["*"], "low": 900, "high": 1000},
    ],
)
def test_too_few_expressions_are_told_with_what_helps(config):
    told = rf"[Tt]oo few .*depth {config['depth']}, .*: [01]\. Use more operators"
    with pytest.raises(ValueError, match=told):
        ArithmeticEnv(**config).build_dataset(None)


def test_an_expression_that_cannot_come_out_whole_is_none():
    assert draw_expression(Random(0), Shape(1, ("/",), 997, 997)).text == "997 / 997"
    assert draw_expression(Random(0), Shape(1, ("/",), 0, 0)) is None
