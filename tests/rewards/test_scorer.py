"""From an episode that ended to its score."""

import asyncio
import gc
import inspect
import warnings
from dataclasses import replace

import pytest

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, evaluate, metric, reward
from grpo_env_sdk.errors import ContractError, ScoreError, UnknownNameError
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.rewards import AdaptiveWeight, exact_match
from grpo_env_sdk.rewards.scorer import Scorer, has_own_scorer, settle
from grpo_env_sdk.types import Episode


def episode(completion="ho", prompt="hi", step_rewards=(), **columns):
    opening = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    return Episode(
        env="x-v1",
        row={"prompt": prompt, **columns},
        seed=0,
        messages=[*opening, {"role": "assistant", "content": completion}],
        opening=len(opening),
        stop_reason="terminated",
        step_rewards=list(step_rewards),
    )


class Rewarded(SingleTurnEnv):
    @reward(weight=3)
    def right(self, completion, answer):
        return completion == answer

    @reward
    async def short(self, completion):
        return len(completion) < 5


class Stepping(MultiTurnEnv):
    def step(self, action):
        return "", 0.5, True, False, {}


class SteppingWithRewards(Stepping):
    @reward
    def maybe(self, kind):
        return {"good": 1.0, "none": None}[kind]


class Tooled(ToolEnv):
    @reward
    def maybe(self, kind):
        return {"good": 1.0, "none": None}[kind]


class Plain:
    def __init__(self, value):
        self.value = value

    def score_episode(self, model, tokenizer, completion):
        return self.value


def test_rewards_sync_and_async_make_one_weighted_score():
    score = Scorer(Rewarded()).score(episode(answer="ho"))
    assert (score.value, score.parts) == (1.0, {"right": 1.0, "short": 1.0})
    assert Scorer(Rewarded()).score(episode(answer="no")).value == 0.25


@pytest.mark.parametrize("value", [1, True, 0.5, None])
def test_a_score_of_the_classs_own_is_a_number_or_nothing(value):
    assert Scorer(Plain(value)).score(episode()).value == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1.0", [1.0]])
def test_a_score_that_is_none_is_told_with_class_and_value(value):
    with pytest.raises(ScoreError, match=r"test_scorer:Plain\.score_episode returned "):
        Scorer(Plain(value)).score(episode())


def test_step_rewards_are_the_score_where_there_are_no_others():
    assert Scorer(Stepping()).score(episode(step_rewards=[0.25, 0.5])).value == 0.75
    assert Scorer(Stepping()).score(episode(step_rewards=[0.0])).value == 0.0


def test_step_rewards_and_weighted_rewards_are_added():
    score = Scorer(SteppingWithRewards()).score(episode(step_rewards=[0.25, 0.5], kind="good"))
    assert (score.value, score.parts) == (1.75, {"maybe": 1.0})


def test_rewards_that_abstain_leave_the_step_rewards():
    assert Scorer(SteppingWithRewards()).score(episode(step_rewards=[0.25], kind="none")).value == 0.25


@pytest.mark.parametrize("steps", [(), (0.0, 0.0)], ids=["run by a driver", "run by step"])
def test_a_tool_env_abstains_whoever_ran_its_tools(steps):
    assert Scorer(Tooled()).score(episode(step_rewards=steps, kind="none")).value is None
    assert Scorer(Tooled()).score(episode(step_rewards=steps, kind="good")).value == 1.0


def test_an_adaptive_weight_counts_as_it_stands_in_training_alone():
    adaptive = AdaptiveWeight(reward(weight=1)(lambda completion: 1.0))
    adaptive.moving.factor = 3.0
    env = Rewarded()
    env.rewards = [adaptive]
    rule = Scorer(env).rule
    values = [0.0, 0.0, 1.0]
    assert rule.score(values).value == 1 / 5
    assert rule.score(values, training=True).value == 3 / 7


def test_a_text_prompt_gives_text_and_a_chat_gives_messages():
    class Showing:
        def score_episode(self, model, tokenizer, completion):
            self.seen = completion
            return 1.0

    env = Showing()
    Scorer(env).score(episode())
    assert env.seen == "ho"
    Scorer(env).score(episode(prompt=[{"role": "user", "content": "hi"}]))
    assert env.seen == [{"role": "assistant", "content": "ho"}]


def test_reserved_names_win_over_columns():
    class Asking:
        def score_episode(self, model, tokenizer, completion, row, tool_calls):
            return float(isinstance(row, dict) and tool_calls == [] and completion == "ho")

    mine = replace(episode(), row={"prompt": "hi", "row": "mine", "tool_calls": "mine", "completion": "mine"})
    assert Scorer(Asking()).score(mine).value == 1.0


def test_a_scorer_beside_rewards_is_refused():
    class Both(Plain):
        rewards = (lambda completion: 1.0,)

    with pytest.raises(ContractError, match=r"Both has both score_episode and rewards \(.*\)\. Keep one"):
        Scorer(Both(1))


def test_what_no_row_has_is_told_before_anything_is_scored():
    with pytest.raises(
        UnknownNameError, match=r"The reward 'right' asks for 'answer', which is not a column \(tests/rewards/"
    ):
        Scorer(Rewarded()).check(["prompt", "anwser"])
    Scorer(Rewarded()).check(["prompt", "answer"])


def test_only_a_scorer_of_the_authors_own_counts_as_one():
    assert has_own_scorer(Plain)
    assert not has_own_scorer(Rewarded)
    assert not has_own_scorer(Stepping)
    assert not has_own_scorer(object)


async def plus_one(number):
    await asyncio.sleep(0)
    return number + 1


def test_values_are_settled_together_and_in_order():
    assert run_coroutine(settle([1, plus_one(1), None, plus_one(3)])) == [1, 2, None, 4]


def test_a_coroutine_can_be_waited_for_inside_a_running_loop():
    async def outer():
        return run_coroutine(plus_one(1))

    assert asyncio.run(outer()) == 2


def test_what_a_coroutine_raises_is_raised():
    async def failing():
        raise KeyError("x")

    with pytest.raises(KeyError):
        run_coroutine(failing())


class LaterAndNow(SingleTurnEnv):
    """One async reward, one async metric, and a plain reward that raises."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Say 1.", "answer": "1"}]

    @reward
    async def later(self, completion):
        return 1.0

    @reward
    def now(self, completion):
        raise ValueError("not now")

    @metric
    async def measured(self, completion):
        return 1.0


def test_a_reward_that_raises_leaves_no_coroutine_of_another_behind():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        (episode,) = evaluate(LaterAndNow, "echo", split="all").episodes
        gc.collect()
    assert "not now" in episode.error.message
    assert [str(one.message) for one in told if "never awaited" in str(one.message)] == []


def test_a_ready_reward_that_asks_for_no_column_names_the_line_of_its_author():
    class Asks(SingleTurnEnv):
        rewards = (exact_match("anwser"),)
        build_dataset = LaterAndNow.build_dataset

    line = inspect.getsourcelines(Asks)[1] + 1
    with pytest.raises(UnknownNameError, match=rf"test_scorer\.py:{line}\)\. Did you mean 'answer'"):
        evaluate(Asks, "echo", split="all")
