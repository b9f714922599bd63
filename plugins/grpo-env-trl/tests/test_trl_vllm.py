"""What the engine relies on in TRL's use of vLLM; `training/test_vllm_in_process.py` has what needs a real one."""

import inspect
import os
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import torch
from trl import GRPOTrainer
from trl.generation.vllm_generation import VLLMGeneration

from grpo_env_trl import trl_vllm


class Sleeper:
    """What `awake` uses of TRL's generation and of vLLM, with a record of it."""

    def __init__(self, sleeps, asleep):
        self.enable_sleep_mode, self._llm_weights_sleeping = sleeps, asleep
        self.done = []
        self.llm = SimpleNamespace(
            llm_engine="engine",
            wake_up=lambda tags: self.done.append(f"wake {tags[0]}"),
            sleep=lambda level: self.done.append(f"sleep {level}"),
        )

    def sync_weights(self):
        self.done.append("sync")
        self._llm_weights_sleeping = False


def batch_of(sleeper, step, loaded):
    trainer = SimpleNamespace(
        vllm_generation=sleeper, state=SimpleNamespace(global_step=step), _last_loaded_step=loaded
    )
    with trl_vllm.awake(trainer) as engine:
        assert engine == "engine"
        sleeper.done.append("three turns")
    assert trainer._last_loaded_step == step
    return sleeper.done


@pytest.mark.parametrize(
    ("sleeps", "asleep", "loaded", "done"),
    [
        (False, False, 4, ["sync", "three turns"]),
        (False, False, 5, ["three turns"]),
        (True, True, 4, ["sync", "wake kv_cache", "three turns", "sleep 2"]),
        (True, False, 5, ["wake kv_cache", "three turns", "sleep 2"]),
        (True, True, 5, ["sync", "wake kv_cache", "three turns", "sleep 2"]),
    ],
)
def test_a_batch_of_several_turns_has_one_sync_and_one_sleep(sleeps, asleep, loaded, done):
    sleeper = Sleeper(sleeps, asleep)
    assert batch_of(sleeper, 5, loaded) == done
    assert sleeper._llm_weights_sleeping is sleeps


def test_an_error_sends_vllm_to_sleep_as_well():
    sleeper = Sleeper(True, True)
    trainer = SimpleNamespace(vllm_generation=sleeper, state=SimpleNamespace(global_step=1), _last_loaded_step=1)
    with pytest.raises(RuntimeError, match="gone"), trl_vllm.awake(trainer):
        raise RuntimeError("gone")
    assert sleeper.done[-1] == "sleep 2"


def test_trl_syncs_once_a_step_before_it_calls_a_rollout_function():
    source = inspect.getsource(GRPOTrainer._generate)
    assert "self.state.global_step != self._last_loaded_step" in source
    assert source.index("sync_weights()") < source.index("self.rollout_func(prompts, self)")


def test_trl_wakes_and_sleeps_vllm_as_awake_does():
    generating, syncing = (inspect.getsource(getattr(VLLMGeneration, name)) for name in ("generate", "sync_weights"))
    assert 'self.llm.wake_up(tags=["kv_cache"])' in generating
    assert "self.llm.sleep(level=2)\n                self._llm_weights_sleeping = True" in generating
    assert 'self.llm.wake_up(tags=["weights"])\n            self._llm_weights_sleeping = False' in syncing


def test_trl_starts_vllm_by_a_name_of_its_module_and_gives_no_dtype():
    source = inspect.getsource(VLLMGeneration._init_vllm)
    assert "self.llm = LLM(" in source
    assert "dtype=" not in source


@pytest.mark.parametrize(
    ("precision", "dtype", "served"),
    [
        ("no", torch.float32, "float32"),
        ("bf16", torch.float32, "bfloat16"),
        ("fp16", torch.float32, "float16"),
        ("no", torch.bfloat16, "bfloat16"),
    ],
)
def test_vllm_serves_in_the_dtype_of_a_forward_pass(precision, dtype, served):
    assert trl_vllm.dtype_of(SimpleNamespace(dtype=dtype), precision) == served


@contextmanager
def module_with(monkeypatch, llm):
    """TRL's module, as it is where vLLM is installed."""
    from trl.generation import vllm_generation as module

    monkeypatch.setattr(module, "LLM", llm, raising=False)
    monkeypatch.setattr(VLLMGeneration, "_init_vllm", lambda generation: module.LLM(model="m"))
    yield module


def test_the_dtype_reaches_vllm_and_the_module_is_as_it_was(monkeypatch):
    started = []
    monkeypatch.delenv("MASTER_PORT", raising=False)
    llm = lambda **given: started.append(given)  # noqa: E731
    with module_with(monkeypatch, llm) as module:
        for _ in range(2):  # the second time changes nothing
            trl_vllm.serve_in_the_trainers_dtype()
        VLLMGeneration._init_vllm(
            SimpleNamespace(
                model=SimpleNamespace(dtype=torch.float32), accelerator=SimpleNamespace(mixed_precision="no")
            )
        )
        assert started == [{"model": "m", "dtype": "float32"}]
        assert module.LLM is llm
        assert int(os.environ["MASTER_PORT"]) > 1023  # a free one, as two trainings may start vLLM at once


def test_with_tensor_parallelism_several_processes_share_one_vllm():
    def trainer(**settings):
        return SimpleNamespace(use_vllm=True, vllm_mode="colocate", **settings)

    assert trl_vllm.samples_alone(trainer(vllm_generation=SimpleNamespace(tensor_parallel_size=1)))
    assert not trl_vllm.samples_alone(trainer(vllm_generation=SimpleNamespace(tensor_parallel_size=2)))
    assert not trl_vllm.samples_alone(SimpleNamespace(use_vllm=True, vllm_mode="server"))
