"""What an author or a caller of a multi-turn environment may get wrong, each told with class, method and line."""

import pytest

from grpo_env_sdk import MultiTurnEnv
from grpo_env_sdk.errors import ContractError, DatasetError, ScoreError
from tests.envs.test_multi_turn import ROW, Guess, began


@pytest.mark.parametrize("action", [5, None, ["5"], {"role": "user", "content": "5"}])
def test_an_action_that_is_none_is_told(action):
    with pytest.raises(ContractError, match=r"An action must be text or an assistant message, got "):
        began(Guess()).step(action)


def returning(method, value):
    """A class whose `reset` or `step` returns a value."""

    def odd(self, *args, **kwargs):
        return value

    odd.__name__ = method
    return type("Odd", (Guess,), {method: odd})


@pytest.mark.parametrize("value", [None, "hi", ("hi",), ("hi", None), ("hi", {}, 1)])
def test_a_reset_that_returns_something_else_is_told(value):
    told = r"Odd\.reset returned .* \(.*_faults\.py:\d+\)\. Return \(observation, info\)"
    with pytest.raises(ContractError, match=told):
        returning("reset", value)().reset(options=ROW)


@pytest.mark.parametrize(
    "value", [None, "hi", ("hi", 0.0, False), ("hi", 0.0, False, False), ("hi", 0.0, False, False, None)]
)
def test_a_step_that_returns_something_else_is_told(value):
    told = r"Odd\.step returned .* \(.*_faults\.py:\d+\)\. Return \(observation, reward, ter"
    with pytest.raises(ContractError, match=told):
        began(returning("step", value)()).step("5")


@pytest.mark.parametrize("observation", [None, 5, ["hi"], [{"content": "hi"}]])
def test_an_observation_that_is_none_is_told_with_the_method(observation):
    told = r"Odd\.{} \(.*_faults\.py:\d+\): An observation must be text, an image or a list .*, got .*\. Return text"
    with pytest.raises(ContractError, match=told.format("reset")):
        returning("reset", (observation, {}))().reset(options=ROW)
    with pytest.raises(ContractError, match=told.format("step")):
        began(returning("step", (observation, 0.0, False, False, {}))()).step("5")


@pytest.mark.parametrize("value", ["1.0", float("nan"), [1.0]])
def test_a_step_reward_that_is_no_number_is_told(value):
    with pytest.raises(ScoreError, match=r"Odd\.step returned .*, which is not a score\."):
        began(returning("step", ("hi", value, False, False, {}))()).step("5")


def test_a_step_reward_of_none_is_an_error_and_not_nothing():
    with pytest.raises(
        ScoreError, match=r"Odd\.step returned the reward None \(.*_faults\.py:\d+\)\. Return a number: 0\.0"
    ):
        began(returning("step", ("hi", None, False, False, {}))()).step("5")


@pytest.mark.parametrize(("value", "reward"), [(True, 1.0), (2, 2.0)])
def test_a_step_reward_becomes_a_float(value, reward):
    given = began(returning("step", ("hi", value, False, False, {}))()).step("5")[1]
    assert (given, type(given)) == (reward, float)


@pytest.mark.parametrize(
    ("cls", "told"),
    [
        (type("Stepless", (MultiTurnEnv,), {}), r"Stepless has no step\. Write step\(self, action\), or use ToolEnv\."),
    ],
)
def test_a_class_without_step_is_told(cls, told):
    with pytest.raises(ContractError, match=told):
        began(cls()).step("hi")


def test_a_class_without_rows_is_told():
    class Rowless(MultiTurnEnv):
        def step(self, action):
            return "", 0.0, True, False, {}

    with pytest.raises(
        ContractError, match=r"Rowless has no build_dataset\. Write one that returns rows with a prompt\."
    ):
        Rowless().reset(seed=1)


def test_a_broken_dataset_is_told_when_a_row_is_drawn():
    class Empty(Guess):
        def build_dataset(self, tokenizer):
            return []

    with pytest.raises(DatasetError, match="returned no rows"):
        Empty().reset(seed=1)


def test_a_class_without_constructor_takes_no_arguments():
    class Bare(MultiTurnEnv):
        """Has nothing."""

    with pytest.raises(TypeError, match=r"Bare\(\) takes no arguments"):
        Bare(5)
