"""Answers that are mathematically equal."""

import subprocess
import sys
import threading

import pytest

from grpo_env_sdk.rewards import math_accuracy


@pytest.mark.parametrize(
    ("completion", "answer", "score"),
    [
        ("4", "4", 1),
        ("\\boxed{4}", 4, 1),
        ("The answer is $\\frac{1}{2}$.", "0.5", 1),
        ("$x^2 + 2x + 1$", "(x+1)^2", 1),
        ("<think>5</think>4", "4", 1),
        ([{"role": "assistant", "content": "\\boxed{4}"}], "4", 1),
        ("4", "", None),
        ("5", "4", 0),
        ("<think>4</think>5", "4", 0),
        ("\\boxed{1} \\boxed{2} \\boxed{3} \\boxed{4}", "4", 0),
        ("\\boxed{4}, \\boxed{5}", "4", 0),
        ("$1, 2, 3, 4, 5$", "4", 0),
        ("{1, 2, 4, 3}", "4", 0),
        ("x = y", "4", 0),
        ("I do not know", "4", 0),
        ("\\frac{", "4", 0),
        ("", "4", 0),
    ],
)
def test_math_accuracy(completion, answer, score):
    assert math_accuracy()(completion, answer) == score


def test_it_works_outside_the_main_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(math_accuracy()("\\boxed{4}", "4")))
    thread.start()
    thread.join()
    assert found == [1.0]


def test_it_says_nothing_of_its_own_accord():
    program = "from grpo_env_sdk.rewards import math_accuracy; print(math_accuracy()('4', '4'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("1.0\n", "")


def test_the_column_can_be_said():
    reward = math_accuracy("solution", weight=2)
    assert reward.call({"completion": "4", "solution": "4"}) == 1
