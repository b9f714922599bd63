"""Environments of every kind, stepped as Gymnasium steps them."""

import asyncio
import gc
import json
import threading
import time

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics

from grpo_env_sdk import SingleTurnEnv, call_message, load, reward, to_gymnasium
from grpo_env_sdk.errors import (
    ConfigError,
    ContractError,
    DeadlineError,
    EnvironmentFailedError,
    EpisodeOverError,
    UsageError,
)
from grpo_env_sdk.rollout.commands import Limits
from tests.environments import ALL, Countdown, Guess, Phonebook, PlainWithTools


class Sums(SingleTurnEnv):
    """One turn, two rewards."""

    def build_dataset(self, tokenizer):
        return [{"prompt": [{"role": "user", "content": f"{n} + 1 = ?"}], "answer": str(n + 1)} for n in range(20)]

    @reward(weight=3)
    def right(self, completion, answer):
        return completion[-1]["content"] == answer

    @reward
    def short(self, completion):
        return len(completion[-1]["content"]) < 4


class Called(Countdown):
    """Tools by `call_tool`, and as many calls as anybody likes."""

    max_turns = 3

    def get_tools(self):
        return [{"type": "function", "function": {"name": "ask", "parameters": {"type": "object", "properties": {}}}}]

    def call_tool(self, name, arguments):
        return {"asked": name}


class Judged:
    """Scored by a coroutine, in the event loop that its lock belongs to."""

    lock = None

    def build_dataset(self, tokenizer):
        return [{"prompt": "hi"}, {"prompt": "ho"}]

    async def score_episode(self, model, tokenizer, completion):
        self.lock = self.lock or asyncio.Lock()
        async with self.lock:
            await asyncio.sleep(0)
        if completion == "raise":
            raise ValueError("no judge is there")
        return None if completion == "abstain" else 0.25


class Slow(Judged):
    """A scorer that does not come back in time."""

    def score_episode(self, model, tokenizer, completion):
        time.sleep(5)
        return 1.0


@pytest.mark.parametrize("env", [*ALL, Sums, Called, Judged], ids=lambda cls: cls.__name__)
def test_gymnasium_finds_nothing_wrong_with_any_kind(env):
    made = to_gymnasium(env)
    assert isinstance(made, gymnasium.Env)
    check_env(made, skip_render_check=True)
    made.close()


@pytest.mark.parametrize("cls", [Guess, Phonebook])
def test_what_has_reset_and_step_is_given_as_it_is(cls):
    env = cls()
    assert to_gymnasium(env) is env
    assert type(to_gymnasium(cls)) is cls


def test_a_plain_class_ends_with_its_score():
    env = to_gymnasium(Countdown, {"longest": 4})
    row = {"prompt": "Count down from 3 to 1.", "start": 3}
    assert env.reset(options=row) == ([{"role": "user", "content": "Count down from 3 to 1."}], {})
    observation, score, terminated, truncated, info = env.step("3 2 1")
    assert (observation, score, terminated, truncated) == ([], 1.0, True, False)
    assert info == {"score": 1.0, "rewards": {}, "stop_reason": "terminated"}
    assert env.messages[-1] == {"role": "assistant", "content": "3 2 1"}
    assert env.row == row
    assert env.reward_range == (0.0, 1.0)


def test_a_seed_draws_the_same_training_row_again():
    env = to_gymnasium(Countdown)
    drawn = [env.reset(seed=seed)[0][0]["content"] for seed in (1, 2, 3, 1, 2, 3)]
    assert drawn[:3] == drawn[3:]
    assert len(set(drawn)) > 1
    assert env.row["prompt"] == env.messages[0]["content"]
    held_out = [row["prompt"] for row in load(Countdown).rows("test")]
    assert not {env.reset()[0][0]["content"] for _ in range(50)} & set(held_out)


def test_rewards_are_told_by_name():
    env = to_gymnasium(Sums())
    env.reset(options=Sums().build_dataset(None)[4])
    info = env.step("5, I think")[4]
    assert (info["score"], info["rewards"]) == (0.0, {"right": 0.0, "short": 0.0})
    env.reset(options=Sums().build_dataset(None)[4])
    assert env.step("5")[1] == 1.0


def test_tools_of_a_plain_class_are_answered_turn_by_turn():
    env = to_gymnasium(PlainWithTools)
    assert env.get_tools()[0]["function"]["name"] == "add"
    env.reset(options=PlainWithTools().build_dataset(None)[3])
    wrong = env.step(call_message("add", x="three", y=2))
    assert json.loads(wrong[0][0]["content"])["error"]["type"] == "invalid_arguments"
    observation, score, terminated, truncated, info = env.step(call_message("add", x=3, y=2))
    assert [(message["role"], message["content"]) for message in observation] == [("tool", "5")]
    assert (score, terminated, truncated, info) == (0.0, False, False, {})
    assert env.step("5")[1:4] == (1.0, True, False)
    env.reset(options=PlainWithTools().build_dataset(None)[3])  # with a new copy: nothing was added yet
    assert env.step("5")[1] == 0.0


def test_turns_and_calls_that_are_used_up_truncate():
    env = to_gymnasium(Called)
    env.reset(seed=1)
    steps = [env.step(call_message("ask")) for _ in range(3)]
    assert [step[2:4] for step in steps] == [(False, False), (False, False), (False, True)]
    assert steps[-1][4]["stop_reason"] == "max_turns"
    assert len(steps[-1][0]) == 1
    env = to_gymnasium(Called, limits=Limits(tool_calls=1))
    env.reset(seed=1)
    env.step(call_message("ask"))
    assert env.step(call_message("ask"))[4]["stop_reason"] == "max_tool_calls"


def test_an_async_scorer_keeps_its_event_loop_from_one_episode_to_the_next():
    env = to_gymnasium(Judged)
    for _ in range(3):
        env.reset(seed=1)
        assert env.step("ho")[1] == 0.25


def test_it_works_where_an_event_loop_runs_already():
    async def notebook():
        env = to_gymnasium(Judged)
        env.reset(seed=1)
        return env.step("ho")[1]

    assert asyncio.run(notebook()) == 0.25


def test_abstaining_is_told_beside_a_reward_of_nothing():
    env = to_gymnasium(Judged)
    env.reset(seed=1)
    _, score, terminated, _, info = env.step("abstain")
    assert (score, terminated, info["score"]) == (0.0, True, None)


def test_a_scorer_that_raises_is_an_error_with_its_place_and_the_next_episode_goes_on():
    env = to_gymnasium(Judged)
    env.reset(seed=1)
    with pytest.raises(EnvironmentFailedError, match=r"Judged failed in score: ValueError: no judge is there") as told:
        env.step("raise")
    assert "test_gymnasium_adapter.py" in told.value.__notes__[0]
    with pytest.raises(EpisodeOverError, match=r"Call reset\(\) first"):
        env.step("ho")
    env.reset(seed=1)
    assert env.step("ho")[1] == 0.25


def test_a_call_that_does_not_come_back_is_an_error_and_the_instance_is_made_anew():
    env = to_gymnasium(Slow, limits=Limits(call_seconds=0.5))
    first = env._loaded.env
    env.reset(seed=1)
    with pytest.raises(DeadlineError, match=r"Slow: score did not come back within 0.5 s.*limits=Limits\(call_sec"):
        env.step("ho")
    assert env._loaded.env is not first


def test_an_action_that_is_none_is_refused_and_the_episode_goes_on():
    env = to_gymnasium(Countdown)
    env.reset(options={"prompt": "Count down from 2 to 1.", "start": 2})
    with pytest.raises(ContractError, match="An action must be text or an assistant message, got 5"):
        env.step(5)
    assert env.step("2 1")[1] == 1.0


def test_there_is_nothing_to_step_before_a_reset_and_after_the_end():
    env = to_gymnasium(Countdown)
    assert env.messages == []
    with pytest.raises(EpisodeOverError, match="over, or has not started"):
        env.step("1")
    env.reset(seed=1)
    env.step("1")
    with pytest.raises(EpisodeOverError, match="over, or has not started"):
        env.step("1")


def test_options_that_are_no_row_are_refused():
    with pytest.raises(ContractError, match=r"takes a dataset row, but this one has no prompt: .*start"):
        to_gymnasium(Countdown).reset(options={"start": 3})


def test_a_row_without_a_column_of_the_scorer_is_an_error_and_no_zero():
    env = to_gymnasium(Countdown)
    env.reset(options={"prompt": "Count down."})
    with pytest.raises(EnvironmentFailedError, match=r"Countdown failed in score: TypeError: .*'start'"):
        env.step("1")


def test_what_needs_the_live_model_is_refused():
    class Watched(Countdown):
        uses_model = True

    with pytest.raises(UsageError, match=r"scores with the live model"):
        to_gymnasium(Watched)


def test_config_and_limits_that_cannot_hold_are_refused():
    with pytest.raises(ConfigError, match=r"takes no config 'longst'\. Did you mean 'longest'\?"):
        to_gymnasium(Countdown, {"longst": 3})
    with pytest.raises(UsageError, match=r"Guess has a reset and step of its own, which take no limits"):
        to_gymnasium(Guess, limits=Limits())


def test_statistics_record_the_score():
    env = RecordEpisodeStatistics(to_gymnasium(Countdown))
    env.reset(options={"prompt": "Count down from 2 to 1.", "start": 2})
    assert env.step("2 1")[4]["episode"]["r"] == 1.0


def test_closing_comes_as_often_as_one_likes_and_a_reset_goes_on():
    env = to_gymnasium(PlainWithTools)
    env.close()
    env.reset(seed=1)
    env.close()
    env.close()
    env.reset(seed=1)
    assert env.step("0")[2]


def test_threads_end_with_the_environment():
    before = set(threading.enumerate())
    env = to_gymnasium(Judged)
    env.reset(seed=1)
    env.step("ho")
    new = set(threading.enumerate()) - before
    assert new
    del env
    gc.collect()
    for thread in new:
        thread.join(10)
    assert not any(thread.is_alive() for thread in new)


def test_an_adapter_that_is_dropped_in_the_middle_closes_its_episode(caplog):
    closed = threading.Event()

    class Closing(PlainWithTools):
        def close(self):
            closed.set()

    env = to_gymnasium(Closing)
    env.reset(seed=1)
    del env
    gc.collect()
    assert closed.wait(30)
    assert "destroyed" not in caplog.text
