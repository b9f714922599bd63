import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from environments import rows
from scripted import config
from trl import GRPOTrainer

from grpo_env_sdk import SingleTurnEnv, load, reward
from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.rewards import AdaptiveWeight
from grpo_env_trl.bridges.callbacks import EnvironmentState
from grpo_env_trl.bridges.state import FILE, restore_state, save_state
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs


class Harder:
    """A plain class that asks for more the longer it goes."""

    def __init__(self):
        self.asked = 0

    def build_dataset(self, tokenizer):
        return rows(40)

    def score_episode(self, model, tokenizer, completion):
        self.asked += 1
        return ((len(completion) + self.asked) % 10) / 10


class Counting(Harder):
    """The same, which says itself what is to be kept."""

    def state_dict(self):
        return {"asked": self.asked}

    def load_state_dict(self, state):
        self.asked = state["asked"]


def long(completion):
    return float(len(completion) % 3 == 0)


class Adaptive(SingleTurnEnv):
    def __init__(self):
        self.rewards = [AdaptiveWeight(long, low=0.5, high=0.6)]

    def build_dataset(self, tokenizer):
        return rows(40)

    @reward
    def other(self, completion):
        return (len(completion) % 10) / 10


def history(trainer):
    """What was logged at each step, but for what a clock says."""
    clocks = ("time/", "step_time", "train_")
    return {
        line["step"]: {name: value for name, value in line.items() if not name.startswith(clocks)}
        for line in trainer.state.log_history
        if "loss" in line
    }


def trainer_in(folder, env, tiny, bridge, steps, every, **changes):
    torch.manual_seed(0)
    model, tokenizer = tiny()
    args = config(folder, max_steps=steps, save_strategy="steps", save_steps=every, **changes)
    return GRPOTrainer(model=model, **trainer_kwargs(env, tokenizer, args=args, bridge=bridge))


@pytest.mark.parametrize(("env", "bridge"), [
    (Harder, "native"), (Harder, "rollout"), (Counting, "native"), (Adaptive, "rollout"),
])  # fmt: skip
def test_a_resumed_run_logs_what_an_uninterrupted_one_does(tiny, tmp_path, env, bridge):
    whole = trainer_in(tmp_path / "whole", env, tiny, bridge, 6, 4)
    whole.train()
    assert (tmp_path / "whole" / "checkpoint-4" / FILE).exists()
    resumed = trainer_in(tmp_path / "whole", env, tiny, bridge, 6, 4)
    resumed.train(resume_from_checkpoint=str(tmp_path / "whole" / "checkpoint-4"))
    assert {step: history(resumed)[step] for step in (5, 6)} == {step: history(whole)[step] for step in (5, 6)}
    without = trainer_in(tmp_path / "whole", env, tiny, bridge, 6, 100)
    (tmp_path / "whole" / "checkpoint-4" / FILE).unlink()
    with pytest.warns(GrpoEnvWarning, match=r"has no state in .*checkpoint-4, so it begins anew\. To resume elsewhere"):
        without.train(resume_from_checkpoint=str(tmp_path / "whole" / "checkpoint-4"))
    assert history(without)[6] != history(whole)[6]  # so it was the state that made them equal


def test_the_last_checkpoint_is_found_where_a_run_is_told_to_resume(tiny, tmp_path):
    trainer_in(tmp_path, Harder, tiny, "native", 2, 2).train()
    resumed = trainer_in(tmp_path, Harder, tiny, "native", 3, 2)
    resumed.train(resume_from_checkpoint=True)
    found = [callback for callback in resumed.callback_handler.callbacks if isinstance(callback, EnvironmentState)]
    assert found[0].loaded.env.asked == 12


def test_what_cannot_be_kept_is_named(tmp_path):
    loaded = load(Harder)
    loaded.env.socket = (number for number in ())
    with pytest.warns(GrpoEnvWarning, match=r"Harder: socket cannot be kept with a checkpoint.*Write state_dict\(\)"):
        save_state(loaded, tmp_path)
    other = load(Harder)
    loaded.env.asked = 5
    with pytest.warns(GrpoEnvWarning):
        save_state(loaded, tmp_path)
    restore_state(other, tmp_path)
    assert other.env.asked == 5


def test_a_run_that_resumes_in_another_folder_is_told_from_where(tiny, tmp_path):
    trainer_in(tmp_path / "first", Harder, tiny, "native", 2, 2).train()
    checkpoint = str(tmp_path / "first" / "checkpoint-2")
    resumed = trainer_in(tmp_path / "second", Harder, tiny, "native", 3, 100, resume_from_checkpoint=checkpoint)
    resumed.train(resume_from_checkpoint=checkpoint)
    found = [callback for callback in resumed.callback_handler.callbacks if isinstance(callback, EnvironmentState)]
    assert found[0].loaded.env.asked == 12


SCRIPT = """
import os, signal, sys
from functools import partial
import torch
from transformers import TrainerCallback
sys.path.insert(0, {tests!r})
torch.manual_seed(0)
import test_state
from tiny_models import tiny_model

class Killed(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        if state.global_step == 23:
            os.kill(os.getpid(), signal.SIGKILL)

trainer = test_state.trainer_in({folder!r}, test_state.Harder, partial(tiny_model, "qwen3"), {bridge!r}, 30, 20)
trainer.add_callback(Killed())
trainer.train()
"""


@pytest.mark.slow
@pytest.mark.parametrize("bridge", ["native", "rollout"])
def test_a_run_that_was_killed_goes_on_as_if_it_had_not_been(tiny, tmp_path, bridge):
    source = SCRIPT.format(tests=str(Path(__file__).parents[1]), folder=str(tmp_path / "killed"), bridge=bridge)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", source], capture_output=True, text=True, env=os.environ
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    whole = trainer_in(tmp_path / "whole", Harder, tiny, bridge, 30, 100)
    whole.train()
    resumed = trainer_in(tmp_path / "killed", Harder, tiny, bridge, 30, 100)
    resumed.train(resume_from_checkpoint=True)
    assert [history(resumed)[step] for step in range(21, 31)] == [history(whole)[step] for step in range(21, 31)]
