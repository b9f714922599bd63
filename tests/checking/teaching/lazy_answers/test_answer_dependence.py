"""Rewards that take the right answer because another library's form, or another part, wants it."""

import asyncio
from types import SimpleNamespace

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.teaching.lazy_answers.answer_dependence import a_reward_depends_on_the_answer
from grpo_env_sdk.rewards import from_inspect
from tests.checking.trying import found
from tests.rewards.same_shape import inspect_package

__all__ = ["inspect_package"]


class Squares(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} * {n}?", "answer": str(n * n)} for n in range(40)]

    def solve(self, row):
        return row["answer"]


async def right(state, target):
    await asyncio.sleep(0)
    return SimpleNamespace(value=float(state.output.completion == target.text))


async def short(state, target):
    await asyncio.sleep(0)
    return SimpleNamespace(value=float(len(state.output.completion) < 20))


class OfInspect(Squares):
    rewards = (from_inspect(right), from_inspect(short, weight=0.1))


class InParts(Squares):
    """One function for both: the format needs no answer."""

    @reward(parts={"right": 1.0, "form": 0.1})
    def graded(self, completion, answer):
        return {"right": answer_text(completion) == answer, "form": len(answer_text(completion)) < 20}


class IdleInParts(Squares):
    @reward(parts={"short": 1.0, "form": 0.1})
    def graded(self, completion, answer):
        return {"short": len(answer_text(completion)) < 9, "form": answer_text(completion).isdigit()}


@pytest.mark.usefixtures("inspect_package")
@pytest.mark.parametrize(("cls", "severities"), [(OfInspect, []), (InParts, []), (IdleInParts, ["warning", "warning"])])
def test_a_parameter_that_has_to_be_there_is_no_mistake(cls, severities):
    assert [item.severity for item in found(a_reward_depends_on_the_answer, cls)] == severities
