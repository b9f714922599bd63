"""TRL's own trainer in its server mode, whose turns come over HTTP; only its NCCL transfer of weights is replaced."""

import pytest
import torch
from environments import Talk
from scripted import config
from trl import GRPOTrainer
from trl.generation import vllm_client, vllm_generation
from vllm_stub import VLLMStub

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import UnusablePolicyError
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.writers.vllm_servers import servers_of
from tests.stub_server import error


@pytest.fixture
def stubs(tiny, monkeypatch):
    """Two servers, and TRL's client that puts its weights into their models."""
    servers = [VLLMStub(tiny()[0], context=4000) for _ in range(2)]

    def update_named_params(self, metadata, named_params):
        stub = next(server for server in servers if server.base == self.base_url)
        sent.append(stub)
        with torch.no_grad():
            held = dict(stub.model.named_parameters())
            for name, weights in named_params:
                held[name].copy_(weights)

    sent = []
    for module in (vllm_client, vllm_generation):  # vLLM itself is not needed to ask a server
        monkeypatch.setattr(module, "is_vllm_available", lambda min_version=None: True)
    monkeypatch.setattr(vllm_client, "_HAS_RESET_PREFIX_CACHE_SUCCESS", True)
    monkeypatch.setattr(vllm_client.VLLMClient, "init_communicator", lambda self, device: None)
    monkeypatch.setattr(vllm_client.VLLMClient, "update_named_params", update_named_params)
    with servers[0], servers[1]:
        servers[0].sent = sent
        yield servers


def trainer_on(stubs, tiny, folder, **changes):
    """A trainer of a multi-turn environment that generates with the first stub."""
    model, tokenizer = tiny()
    settings = {
        "use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": stubs[0].base, "learning_rate": 0.05,
        "max_completion_length": 24, "vllm_server_timeout": 1.0,
    }  # fmt: skip
    kwargs = trainer_kwargs(
        Talk, tokenizer, args=config(folder, **settings, **changes), max_turn_tokens=8, reward_funcs=[length]
    )
    return GRPOTrainer(model=model, **kwargs)


def length(completions, **columns):
    """Differs between the completions of a group."""
    return [float(sum(len(str(message)) for message in completion)) for completion in completions]


def same(stub, model):
    """Whether a stub has the weights of a model."""
    held = dict(stub.model.named_parameters())
    return all(torch.equal(weights, held[name]) for name, weights in model.named_parameters())


def test_it_trains_with_exact_logprobs_and_sends_its_weights_once_a_batch(stubs, tiny, tmp_path):
    trainer = trainer_on(stubs, tiny, tmp_path, max_steps=3)
    trainer.train()
    assert stubs[0].sent == [stubs[0]] * 3
    assert not same(stubs[0], trainer.model)  # the last step came after the last transfer
    ratios = [
        value
        for logged in trainer.state.log_history
        for name, value in logged.items()
        if "importance_sampling_ratio" in name
    ]
    assert ratios == pytest.approx([1.0] * len(ratios), abs=1e-4)
    assert len(ratios) >= 3


def test_several_servers_all_get_the_weights_and_all_sample(stubs, tiny, tmp_path):
    trainer = trainer_on(stubs, tiny, tmp_path, max_steps=2)
    servers_of(trainer, [stub.base for stub in stubs])
    trainer.train()
    assert stubs[0].sent == stubs * 2
    assert min(stub.requests for stub in stubs) > 0


def test_a_server_that_dies_between_steps_is_left_out_and_the_other_goes_on(stubs, tiny, tmp_path):
    trainer = trainer_on(stubs, tiny, tmp_path, max_steps=2)
    servers_of(trainer, [stub.base for stub in stubs])
    stubs[1].stop()
    with pytest.warns(GrpoEnvWarning, match="No vLLM server answers at .* samples the rest"):
        trainer.train()
    assert stubs[0].sent == [stubs[0]] * 2


def test_the_only_server_that_dies_ends_the_training_with_the_next_step(stubs, tiny, tmp_path):
    trainer = trainer_on(stubs, tiny, tmp_path, max_steps=2)
    stubs[0].plays(error(500, "engine dead"))
    with pytest.raises(UnusablePolicyError, match=r"engine dead.*--resume"):
        trainer.train()
