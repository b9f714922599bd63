"""Reward functions as TRL calls them: their names, what they get, and what they may return."""

import asyncio
import functools
import re

import numpy
import pytest
import some_rewards
import torch
from trl.rewards import get_repetition_penalty_reward, think_format_reward

from grpo_env_sdk.errors import ContractError, EnvironmentFailedError
from grpo_env_trl.outside_rewards.calling import checked, listed, log_names

CHAT = [[{"role": "assistant", "content": "yes"}], [{"role": "assistant", "content": "no"}]]
GIVEN = {
    "prompts": ["a", "b"],
    "completions": CHAT,
    "completion_ids": [[1, 2, 3], [4]],
    "completions_ids": [[1, 2, 3], [4]],
    "place": [5, 6],
    "extra": [0, 0],
}


def test_each_reward_has_a_log_name_of_its_own():
    rewards = [
        some_rewards.Scaled(1), some_rewards.Scaled(2), some_rewards.brief, functools.partial(some_rewards.brief),
        get_repetition_penalty_reward(), "folder/judge", "other/judge", some_rewards.short,
    ]  # fmt: skip
    assert log_names(rewards, ["score", "brief"]) == [
        "Scaled", "Scaled_2", "brief_2", "brief_3", "repetition_penalty_reward", "judge", "judge_2", "short",
    ]  # fmt: skip
    assert log_names(["a/judge", "b/judge"], [], of_models=False) == ["judge", "judge"]


@pytest.mark.parametrize(("function", "values"), [
    (some_rewards.named, [5.0, 6.0]),
    (some_rewards.documented, [3.0, 1.0]),
    (some_rewards.Scaled(3), [3.0, 3.0]),
    (functools.partial(some_rewards.shouting, word=CHAT[0][0]), [1.0, 0.0]),
    (get_repetition_penalty_reward(ngram_size=1), [0.0, 0.0]),
])  # fmt: skip
def test_a_function_gets_what_it_takes_of_all_that_trl_gives(function, values):
    called = checked(function, "mine")
    assert called(**GIVEN) == values
    assert called.__name__ == "mine"


@pytest.mark.parametrize("function", [some_rewards.patient, some_rewards.Patient(0.5)])
def test_an_async_function_or_object_stays_async(function):
    called = checked(function, "mine")
    assert asyncio.iscoroutinefunction(called)
    assert asyncio.run(called(**GIVEN)) == [0.5, 0.5]


@pytest.mark.parametrize("completions", [
    ["<think>a</think> b", "b"],
    [[{"role": "assistant", "content": "", "tool_calls": []}, {"role": "tool", "content": "c"},
      {"role": "assistant", "content": "<think>a</think> b"}], [{"role": "assistant", "content": None}]],
])  # fmt: skip
def test_functions_of_trl_read_text_and_whole_transcripts_too(completions):
    assert checked(think_format_reward, "think")(completions=completions) == [1.0, 0.0]


@pytest.mark.parametrize("values", [
    (1, None), [True, float("nan")], numpy.array([1.0, numpy.nan]), torch.tensor([1.0, float("nan")]),
    [numpy.float32(1), None], (value for value in (1, None)),
])  # fmt: skip
def test_numbers_of_any_kind_are_taken_and_none_abstains(values):
    assert checked(lambda completions: values, "mine")(**GIVEN) == [1.0, None]


@pytest.mark.parametrize(("values", "told"), [
    (None, "returned None. Return a list with a number, or None, for each of the 2 completions."),
    (0.5, "returned 0.5."),
    ("ab", "returned 'ab'."),
    ({"a": 1, "b": 2}, "returned {'a': 1, 'b': 2}."),
    ([1.0], "returned 1 values for 2 completions."),
    ([1.0, 2.0, 3.0], "returned 3 values for 2 completions."),
    ([1.0, "2.0"], "returned '2.0' among its values. Return finite numbers, or None."),
    ([1.0, [2.0]], "returned [2.0] among"),
    ([1.0, float("inf")], "returned inf among"),
])  # fmt: skip
def test_values_that_are_not_one_number_each_are_refused_by_name(values, told):
    async def waited(completions):
        return values

    with pytest.raises(ContractError, match=re.escape(f"The reward function 'mine' {told}")):
        checked(lambda completions: values, "mine")(**GIVEN)
    with pytest.raises(ContractError, match=re.escape(told)):
        asyncio.run(checked(waited, "mine")(**GIVEN))


def broken(completions, **kwargs):
    raise KeyError("answer")


def broken_later(completions, **kwargs):
    yield 1.0
    raise KeyError("answer")


@pytest.mark.parametrize("function", [broken, broken_later])
def test_a_function_that_raises_is_named_with_the_place(function):
    told = r"'mine' raised KeyError: 'answer' \(.*test_calling\.py:\d+"
    with pytest.raises(EnvironmentFailedError, match=told) as caught:
        checked(function, "mine")(**GIVEN)
    assert "\n" not in str(caught.value)


def of_text(completions):
    return [float("yes".casefold() in completion.casefold()) for completion in completions]


def test_a_function_for_text_among_messages_is_told_so():
    with pytest.raises(EnvironmentFailedError, match=r"no attribute 'casefold'.* list of messages where the prompt is"):
        checked(of_text, "mine")(**GIVEN)


def test_no_rewards_of_ones_own_are_an_empty_list():
    assert [listed(given) for given in (None, [], of_text)] == [[], [], [of_text]]
