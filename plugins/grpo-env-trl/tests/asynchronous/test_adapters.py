"""`grpo-env train --trainer async --peft` on a server that takes adapters: no weights are sent, only the adapter."""

import re

import pytest
import torch
from asynchronous.test_command import folder, said, said_in_this_process, server, setup_of, trained
from tiny_models import save_tiny_adapter
from transformers import AutoModelForCausalLM

from grpo_env_sdk import GrpoEnvError
from grpo_env_trl.export.folder import save_merged
from grpo_env_trl.models.source import find_model
from grpo_env_trl.preflight.asynchronous import problems as problems_of_async
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.vllm_server import problems
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.serving.command import serve_environment
from grpo_env_trl.setup.preparing import prepare
from grpo_env_trl.setup.sent_adapter import adapter_words
from grpo_env_trl.train_command import settings_of

__all__ = ["folder", "server"]
ROOM = {"max_lora_rank": 16, "max_loras": 4}
PEFT = {"use_peft": True, "lora_r": 4, "learning_rate": 0.05}


@pytest.fixture
def taking(server):
    """The server, started with --enable-lora."""
    server.settings["lora_config"] = dict(ROOM)
    return server


@pytest.mark.slow
def test_a_training_sends_its_adapter_alone_and_begins_its_names_anew(folder, taking, sent, tmp_path):
    taking.adapters |= {f"trl-policy-v{left}": AutoModelForCausalLM.from_pretrained(folder) for left in (1, 200)}
    saved = {"save_strategy": "steps", "save_steps": 1}
    made = trained(setup_of(folder, taking, out=str(tmp_path / "run"), **PEFT, **saved))
    assert made.steps == 2
    assert sent == []
    assert taking.loaded == ["trl-policy-v1", "trl-policy-v2", "trl-policy-v3"]
    assert taking.adapters.keys() == {*taking.loaded}
    logged = [entry for entry in RunFolder(made.run).logged() if "loss" in entry]
    assert logged[0]["ratio"] == pytest.approx(1.0, abs=1e-3)
    for name, model in (("before", folder), ("after", made.run / "model")):
        assert said(made.run / "heldout" / f"{name}-greedy") == said_in_this_process(model, tmp_path / name)
    assert not list(made.run.rglob(".vllm_lora"))

    (made.run / "summary.json").unlink()  # as if it had been stopped
    again = trained(prepare(settings_of(["--resume", str(made.run), "--max-steps", "3"])))
    assert again.steps == 3
    assert taking.loaded[3:] == ["trl-policy-v1", "trl-policy-v2"]


@pytest.mark.slow
def test_a_whole_model_is_sent_as_weights_to_such_a_server(folder, taking, sent, tmp_path):
    trained(setup_of(folder, taking, out=str(tmp_path / "run"), max_steps=1, eval_rows=0))
    assert len(sent) == 2
    assert taking.loaded == []


@pytest.mark.slow
def test_an_adapter_to_begin_with_is_merged_and_sent_before_the_first_step(folder, server, sent, tmp_path):
    adapter = save_tiny_adapter(folder, tmp_path / "adapter")
    save_merged(find_model(str(adapter)), tmp_path / "merged")
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "merged").state_dict()
    setup = setup_of(adapter, server, out=str(tmp_path / "run"), max_steps=1)
    assert [*problems(PlannedTraining(setup)), *problems_of_async(PlannedTraining(setup))] == []
    made = trained(setup)
    assert all(torch.allclose(weight, merged[name], atol=1e-6) for name, weight in sent[0].items())
    assert (made.run / "model" / "model.safetensors").is_file()
    assert not (made.run / ".merged").exists()
    assert said(made.run / "heldout" / "before-greedy") == said_in_this_process(
        tmp_path / "merged", tmp_path / "before"
    )
    assert said(made.run / "heldout" / "after-greedy") == said_in_this_process(made.run / "model", tmp_path / "after")


def test_a_server_that_loads_no_adapter_ends_the_training_in_one_line(folder, taking, sent, tmp_path):
    taking.refused.add("/v1/load_lora_adapter")
    with pytest.raises(GrpoEnvError, match="took no weights: Request failed: 503, no memory"):
        trained(setup_of(folder, taking, out=str(tmp_path / "run"), **PEFT))


@pytest.mark.parametrize(
    ("lora", "changes", "told"),
    [
        (ROOM, {}, None),
        (ROOM | {"max_lora_rank": 8}, {"lora_r": 12}, r"rank 8 or less, and the rank .* is 12.*--max-lora-rank 16,"),
        (
            ROOM | {"max_loras": 1},
            {},
            r"holds 1 adapters, .* --max-staleness 2 needs 4.*--max-loras 4",
        ),
        (ROOM, {"lora_modules_to_save": ["lm_head"]}, "has no weight transfer"),
        (None, {}, "has no weight transfer"),
    ],
)
def test_what_it_was_started_without_is_named(folder, server, lora, changes, told):
    server.settings |= {"weight_transfer_config": None, "lora_config": lora}
    found = [str(one) for one in problems(PlannedTraining(setup_of(folder, server, **PEFT | changes)))]
    assert len(found) == (told is not None)
    if told:
        assert re.search(told, found[0], re.DOTALL)


def test_a_server_that_loads_nothing_while_it_runs_is_named(folder, taking):
    taking.refused.add("/v1/load_lora_adapter")
    taking.refusal = 404
    (problem,) = problems(PlannedTraining(setup_of(folder, taking, **PEFT)))
    assert "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True" in str(problem)


def test_servers_that_are_started_take_what_the_training_sends(folder, server):
    words = ["--enable-lora", "--max-lora-rank", "16", "--max-loras", "4"]
    assert adapter_words(setup_of(folder, server, **PEFT | {"lora_r": 12})) == words
    assert adapter_words(setup_of(folder, server, **PEFT | {"lora_r": 1000})) == []
    assert adapter_words(setup_of(folder, server)) == []
    assert serve_environment([], {})["VLLM_ALLOW_RUNTIME_LORA_UPDATING"] == "True"
