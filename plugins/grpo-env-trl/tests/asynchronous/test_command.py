"""`grpo-env train --trainer async`, whose vLLM server is a stub over HTTP that holds a real model."""

import sys
from pathlib import Path

import pytest
import torch
from tiny_models import save_tiny_model
from transformers import AutoModelForCausalLM
from trl.experimental.async_grpo import async_grpo_trainer
from vllm_stub import VLLMStub

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.preflight.asynchronous import problems
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.run_folder import RunFolder
from grpo_env_trl.settings.reading import settings_from_arguments
from grpo_env_trl.setup.preparing import prepare
from grpo_env_trl.train_command import settings_of
from grpo_env_trl.training.display import Display
from grpo_env_trl.training.session import run_training

sys.path.insert(0, str(Path(__file__).parent.parent / "training"))
SMALL = {
    "trainer": "async", "max_steps": 2, "per_device_train_batch_size": 4, "num_generations": 2,
    "max_completion_length": 12, "learning_rate": 1e-3, "eval_rows": 2, "sample_every": 1, "save_strategy": "no",
    "gradient_checkpointing": False, "token_budget": 4096, "use_cpu": True, "max_staleness": 2,
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a tiny model."""
    return save_tiny_model("qwen3", tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def server(folder, monkeypatch):
    """A server with the same model, which takes the trainer's weights as NCCL would bring them."""
    model = AutoModelForCausalLM.from_pretrained(folder)

    class ToStub:
        def __init__(self, **given):
            self.sent = 0

        def send_weights(self, named):
            own = dict(model.named_parameters())
            with torch.no_grad():
                for name, weight in named:
                    own[name].copy_(weight)

        init_weight_transfer = pause = resume = destroy = lambda self: None

    monkeypatch.setattr(async_grpo_trainer, "WeightTransferClient", ToStub)
    with VLLMStub(model, context=4096) as stub:
        yield stub


def setup_of(folder, server, **changes):
    return prepare(settings_from_arguments(
        {"env": "lessons:Haggle", "model": str(folder), "vllm_server_url": server.base, **SMALL, **changes}, False
    ))  # fmt: skip


def trained(setup):
    with Display(quiet=True) as display:
        return run_training(setup, display)


@pytest.mark.slow
def test_a_run_is_trained_written_and_resumed(folder, server, tmp_path):
    saved = {"save_strategy": "steps", "save_steps": 1}
    made = trained(setup_of(folder, server, out=str(tmp_path / "run"), **saved))
    run = open_run(made.run)
    assert (run.summary()["steps"], run.summary()["finished"]) == (2, True)
    logged = list(RunFolder(made.run).logged())
    assert {"reward", "sample/staleness_mean", "episodes/turns"} <= logged[0].keys()
    assert [episode.env for episode in run.episodes()]
    assert (made.run / "report.html").is_file()
    before, after = (AutoModelForCausalLM.from_pretrained(one) for one in (folder, made.run / "model"))
    assert any(not torch.equal(*pair) for pair in zip(before.parameters(), after.parameters(), strict=True))

    again = trained(prepare(settings_of(["--resume", str(made.run), "--max-steps", "3"])))
    assert again.steps == 3
    assert [entry["step"] for entry in RunFolder(made.run).logged() if "loss" in entry] == [1, 2, 3]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"model": None}, "cannot train the demo model"),
        ({"bridge": "native"}, "the bridge is native"),
        ({"reward_func": ["trl.rewards:think_format_reward"]}, "no reward functions from outside"),
        ({"attn_implementation": "eager"}, "attention of its own"),
    ],
)
def test_what_does_not_go_with_it_is_a_problem_of_the_preflight(folder, server, changes, told):
    setup = setup_of(folder, server, **{name: value for name, value in changes.items() if value is not None})
    if changes.get("model", "") is None:
        setup = prepare(settings_from_arguments({"env": "hotel-v1", "vllm_server_url": server.base, **SMALL}, False))
    assert any(told in str(problem) for problem in problems(PlannedTraining(setup)))


def test_a_setting_of_the_other_trainer_is_named(folder, server):
    with pytest.raises(UsageError, match="has no --beta, --loss-type"):
        assert setup_of(folder, server, beta=0.1, loss_type="cispo").async_args


def test_a_server_that_takes_adapters_is_refused(folder, server, tmp_path):
    server.settings["lora_config"] = {"max_lora_rank": 16}
    with pytest.raises(UsageError, match="Start it without --enable-lora"):
        trained(setup_of(folder, server, out=str(tmp_path / "run")))
