"""Rubrics of verifiers and scorers of Inspect, as their packages have them, each in an environment of its own."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.policies.test_real_servers import installed

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SDK = ["aiohttp", "gymnasium", "jsonschema", "pluggy", "pyyaml", "regex", "rich"]

VERIFIERS = """
import verifiers as vf

from grpo_env_sdk.rewards import from_verifiers


def correct(parser, completion, answer):
    return float(parser.parse_answer(completion) == f"It is {answer}.")


async def looks(state, info):
    state["seen"] = info
    return 1.0


def calls(completion):
    found = [call.name for message in completion for call in getattr(message, "tool_calls", None) or []]
    return float(found == ["increase"])


def after(state, **kwargs):
    return float(state["seen"] == {"level": 3})


def turns(state):
    steps = state["trajectory"]
    said = [step["response"].message.content for step in steps]
    return float(len(steps) == 2 and steps[1]["prompt"] == state["prompt"] + state["completion"][:2] and said[1] != "")


ours = vf.Rubric(funcs=[correct, looks, calls, after, turns], weights=[1.0, 0.0, 1.0, 0.5, 0.0])
rubric = vf.RubricGroup([ours, vf.MathRubric()])
REWARDS = from_verifiers(rubric)
"""
INSPECT = """
from inspect_ai.scorer import Score, f1, includes, match, mean, scorer

from grpo_env_sdk.rewards import from_inspect


@scorer(metrics={"calls": [mean()], "level": [mean()]})
def several():
    async def score(state, target):
        calls = sum(len(message.tool_calls or []) for message in state.messages if message.role == "assistant")
        return Score(value={"calls": calls, "level": "C" if state.metadata["level"] == 3 else "I"})

    return score


@scorer(metrics=[mean()])
def unscored():
    async def score(state, target):
        return Score.unscored()

    return score


REWARDS = [
    from_inspect(match()),
    from_inspect(includes(), weight=0.5),
    from_inspect(f1(), name="f1"),
    from_inspect(several(), parts={"calls": 1.0, "level": 1.0}),
    from_inspect(unscored()),
]
"""
ENVIRONMENT = """
import json

from grpo_env_sdk import ToolEnv, call_message, evaluate, tool


class Adds(ToolEnv):
    rewards = REWARDS

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": [{"role": "user", "content": f"Add one to {n}."}], "n": n, "answer": str(n + 1),
                "info": {"level": 3}, "metadata": {"level": 3},
            }
            for n in range(20, 26)
        ]

    @tool
    def increase(self, n: int) -> int:
        '''Add one.

        Args:
            n: A number.
        '''
        return n + 1

    def solve(self, row):
        return [call_message("increase", n=row["n"]), f"It is {row['answer']}."]


for policy in ("gold", "echo"):
    summary = evaluate(Adds, policy, split="all").summary
    print(json.dumps({name: part["mean"] for name, part in summary["rewards"].items()} | summary["errors"]))
"""


def graded(python, code):
    """The mean of each part for gold, and for a policy that repeats the question."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([python, "-c", code + ENVIRONMENT], env=environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_rubric_of_verifiers_grades_episodes():
    python = installed("verifiers", ["install", "verifiers==0.1.14", *SDK])
    gold, echo = graded(python, VERIFIERS)
    assert gold == {
        "correct": 1.0,
        "looks": 1.0,
        "calls": 1.0,
        "after": 1.0,
        "turns": 1.0,
        "correct_answer": 0.0,
    }  # which wants a box
    assert echo == {"correct": 0.0, "looks": 1.0, "calls": 0.0, "after": 1.0, "turns": 0.0, "correct_answer": 0.0}


def test_scorers_of_inspect_grade_episodes():
    python = installed("inspect", ["install", "inspect-ai==0.3.285", "datasets", *SDK])
    gold, echo = graded(python, INSPECT)
    assert gold == {"match": 1.0, "includes": 1.0, "f1": 0.5, "calls": 1.0, "level": 1.0}
    assert (echo["match"], echo["calls"], echo["level"]) == (0.0, 0.0, 1.0)
