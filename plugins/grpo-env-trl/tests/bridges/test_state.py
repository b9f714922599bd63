import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter, defaultdict, deque
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
import torch
from environments import CountsAsked, CountsInParallel, Harder, rows
from scripted import config
from transformers import TrainerState
from trl import GRPOTrainer

from grpo_env_sdk import Limits, SingleTurnEnv, load, reward
from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_sdk.ext import EnvPool, give_state, is_sealed, load_for, state_of
from grpo_env_sdk.rewards import AdaptiveWeight
from grpo_env_trl.bridges.batch_player import BatchPlayer
from grpo_env_trl.bridges.callbacks import EnvironmentState
from grpo_env_trl.bridges.state import FILE, read_state, save_state
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.runs.checkpoint_files import files_that_run_code
from grpo_env_trl.runs.whole_checkpoints import fault_of

THREADS, PROCESS = EnvPool(), EnvPool("process", 64)


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


def trainer_in(folder, env, tiny, bridge, steps, every, pool=THREADS, **changes):
    torch.manual_seed(0)
    model, tokenizer = tiny()
    args = config(folder, max_steps=steps, save_strategy="steps", save_steps=every, **changes)
    return GRPOTrainer(model=model, **trainer_kwargs(env, tokenizer, args=args, bridge=bridge, pool=pool))


def save(loaded, folder):
    save_state(loaded, state_of(loaded), folder)


def restore(loaded, folder):
    give_state(loaded, read_state(loaded, folder))


@pytest.mark.parametrize(("env", "bridge", "pool"), [
    (Harder, "native", THREADS), (Harder, "rollout", THREADS), (CountsAsked, "native", THREADS),
    (Adaptive, "rollout", THREADS), (CountsAsked, "rollout", PROCESS),
])  # fmt: skip
def test_a_resumed_run_logs_what_an_uninterrupted_one_does(tiny, tmp_path, env, bridge, pool):
    whole = trainer_in(tmp_path / "whole", env, tiny, bridge, 6, 4, pool)
    whole.train()
    assert (tmp_path / "whole" / "checkpoint-4" / FILE).exists()
    resumed = trainer_in(tmp_path / "whole", env, tiny, bridge, 6, 4, pool)
    resumed.train(resume_from_checkpoint=str(tmp_path / "whole" / "checkpoint-4"))
    assert {step: history(resumed)[step] for step in (5, 6)} == {step: history(whole)[step] for step in (5, 6)}
    without = trainer_in(tmp_path / "whole", env, tiny, bridge, 6, 100, pool)
    (tmp_path / "whole" / "checkpoint-4" / FILE).unlink()
    with pytest.warns(GrpoEnvWarning, match=r"has no state in .*checkpoint-4, so it begins anew\. To resume elsewhere"):
        without.train(resume_from_checkpoint=str(tmp_path / "whole" / "checkpoint-4"))
    assert history(without)[6] != history(whole)[6]  # so it was the state that made them equal


def test_the_last_checkpoint_is_found_where_a_run_is_told_to_resume(tiny, tmp_path):
    trainer_in(tmp_path, Harder, tiny, "native", 2, 2).train()
    resumed = trainer_in(tmp_path, Harder, tiny, "native", 3, 2)
    resumed.train(resume_from_checkpoint=True)
    found = [callback for callback in resumed.callback_handler.callbacks if isinstance(callback, EnvironmentState)]
    assert found[0].players["."].loaded.env.asked == 12


def test_what_cannot_be_kept_is_named_once_and_before_the_training(tiny, tmp_path):
    class Odd(Harder):
        def __init__(self):
            super().__init__()
            self.socket = (number for number in ())
            self.measure = max  # what the constructor makes again is no state

    trainer = trainer_in(tmp_path, Odd(), tiny, "native", 2, 1)
    with pytest.warns(
        GrpoEnvWarning, match=r"Odd: socket cannot be kept with a checkpoint.*Write state_dict\(\)"
    ) as told:
        trainer.train()
    assert len([one for one in told if issubclass(one.category, GrpoEnvWarning)]) == 1
    other = load(Odd)
    other.env.socket = "new"
    restore(other, tmp_path / "checkpoint-2")
    assert (other.env.asked, other.env.socket) == (8, "new")


VALUES = {
    "numbers": [1, -2.5, float("inf"), True, None, 10**30, "text \u2028"],
    "keyed": {1: "a", (1, 2): {"$": "tag"}, "$": [b"\x00\xff"]},
    "sets": ({1, 2}, frozenset({"a"}), deque([1, 2], maxlen=3), Counter("aab"), defaultdict(int, {"a": 1})),
    "arrays": [
        numpy.arange(6, dtype="int16").reshape(2, 3),
        numpy.float32(1.5),
        torch.ones(2, 2, dtype=torch.bfloat16),
    ],
}


class Everything(Harder):
    def __init__(self):
        super().__init__()
        self.values = VALUES
        self.random, self.generator = random.Random(1), numpy.random.default_rng(1)


def test_state_is_json_and_safetensors_and_comes_back_the_same(tmp_path):
    loaded = load(Everything)
    loaded.env.random.random(), loaded.env.generator.random()
    save(loaded, tmp_path)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".safetensors"]
    other = load(Everything)
    other.env.values = None
    restore(other, tmp_path)
    assert repr(other.env.values) == repr(VALUES)
    assert other.env.random.random() == loaded.env.random.random()
    assert other.env.generator.random() == loaded.env.generator.random()


def test_a_secret_is_not_kept_with_a_checkpoint(tmp_path, monkeypatch):
    class Keyed(Harder):
        def __init__(self, key=""):
            super().__init__()
            self.key = key

    monkeypatch.setenv("KEY_OF_KEYED", "sk-4711")
    loaded = load(Keyed, {"key": "env:KEY_OF_KEYED"})
    save(loaded, tmp_path)
    assert "sk-4711" not in (tmp_path / FILE).read_text()
    restore(loaded, tmp_path)
    assert loaded.env.key == "sk-4711"


@pytest.mark.parametrize("text", [
    "", "[]", "{}", '{"weights": 1}', '{"weights": {}, "attributes": [1]}', "[" * 100_000,
    '{"weights": {}, "attributes": {"a": {"$": "os.system", "value": "touch ran"}}}',
    '{"weights": {}, "attributes": {"a": {"$": "generator", "value": {"bit_generator": "__builtins__"}}}}',
    '{"weights": {}, "attributes": {"a": {"$": "array", "tensor": "../../etc/passwd"}}}',
])  # fmt: skip
def test_a_damaged_state_is_one_line(text, tmp_path):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(
        UsageError, match=r"grpo_env_state\.json cannot be read: \w+\. Resume from an earlier"
    ) as caught:
        restore(load(Harder), tmp_path)
    assert "\n" not in str(caught.value)


def test_a_run_that_resumes_in_another_folder_is_told_from_where(tiny, tmp_path):
    trainer_in(tmp_path / "first", Harder, tiny, "native", 2, 2).train()
    checkpoint = str(tmp_path / "first" / "checkpoint-2")
    resumed = trainer_in(tmp_path / "second", Harder, tiny, "native", 3, 100, resume_from_checkpoint=checkpoint)
    resumed.train(resume_from_checkpoint=checkpoint)
    found = [callback for callback in resumed.callback_handler.callbacks if isinstance(callback, EnvironmentState)]
    assert found[0].players["."].loaded.env.asked == 12


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


def test_what_every_worker_has_of_its_own_is_named_and_not_kept(tiny, tmp_path):
    trainer = trainer_in(tmp_path, CountsInParallel, tiny, "native", 1, 1, PROCESS)
    with pytest.warns(GrpoEnvWarning, match="state of its workers cannot be kept.*Threads keep it"):
        trainer.train()
    assert json.loads((tmp_path / "checkpoint-1" / FILE).read_text()) == {"weights": {}}


def test_a_checkpoint_of_threads_goes_on_in_a_worker_and_the_other_way_round(tiny, tmp_path):
    first = load(CountsAsked)
    first.env.asked = 7
    save(first, tmp_path)
    there = load_for(PROCESS, CountsAsked, split=None)
    player = BatchPlayer(there, [there.rows("train")], Limits())
    player.restore(read_state(there, tmp_path))
    save_state(there, player.state(), tmp_path)
    player.end()
    last = load(CountsAsked)
    restore(last, tmp_path)
    assert last.env.asked == 7


def test_parts_of_a_model_that_several_processes_write_are_signed_and_can_be_loaded_again(tmp_path):
    """DeepSpeed and FSDP write files that only their owner may load."""
    folder = tmp_path / "checkpoint-2"
    for name in ("global_step2/states.pt", "pytorch_model_fsdp_0/.metadata", "latest"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("a part")
    args = SimpleNamespace(output_dir=str(tmp_path))
    state = TrainerState(global_step=2, is_world_process_zero=True)
    EnvironmentState({}).on_save(args, state, None, train_dataloader=None)
    assert fault_of(folder) is None
    assert is_sealed(folder, files_that_run_code(folder))
