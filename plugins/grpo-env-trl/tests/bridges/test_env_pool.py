"""Environment code in worker processes of a training: the same tokens and rewards as in threads."""

import random

import pytest
from scripted import StandIn, config, tokens

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.ext import EnvPool
from grpo_env_trl.bridges.callbacks import EnvironmentState
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from tests.environments import Countdown, Guess
from tests.rollout.hostile_envs import ScoresByModel


def played(tiny, folder, pool):
    model, tokenizer = tiny()
    kwargs = trainer_kwargs(Guess, tokenizer, args=config(folder), eval_rows=0, pool=pool)
    drawn = random.Random(1)
    trainer = StandIn(model, tokenizer, lambda context, most: tokens(tokenizer, drawn.choice(["3", "7", "12"])))
    found = kwargs["rollout_func"](kwargs["train_dataset"]["prompt"], trainer)
    (state,) = (one for one in kwargs["callbacks"] if isinstance(one, EnvironmentState))
    state.players["."].end()
    state.players["."].hosts.close()
    return found


def test_a_batch_in_processes_is_that_of_threads(tiny, tmp_path):
    threads, processes = (played(tiny, tmp_path, pool) for pool in (EnvPool(), EnvPool("process", 64)))
    for name in ("prompt_ids", "completion_ids", "env_mask", "logprobs"):
        assert processes[name] == threads[name]
    assert [one.reward for one in processes["episode"]] == [one.reward for one in threads["episode"]]
    assert {one.stop_reason for one in processes["episode"]} == {one.stop_reason for one in threads["episode"]}


@pytest.mark.parametrize(
    ("env", "more", "told"),
    [
        (ScoresByModel, {}, "uses_model"),
        (Countdown(), {}, "is an instance of this process"),
        ("hotel-v1", {"bridge": "environment_factory"}, "runs tools in TRL's own loop"),
    ],
)
def test_what_cannot_be_trained_on_in_processes_is_refused(tiny, tmp_path, env, more, told):
    _, tokenizer = tiny()
    with pytest.raises(UsageError, match=told):
        trainer_kwargs(env, tokenizer, args=config(tmp_path), pool=EnvPool("process"), **more)
