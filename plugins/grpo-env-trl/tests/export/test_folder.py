"""`grpo-env export`: folders that plain transformers and peft load, with a card, and nothing left half-done."""

import asyncio
import json
import shutil

import pytest
import torch
import yaml
from tiny_models import save_tiny_adapter, save_tiny_model, save_training
from transformers import AutoModelForCausalLM, AutoTokenizer, pipeline

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import GrpoEnvError, UsageError
from grpo_env_sdk.ext import RESUME_WITH
from grpo_env_sdk.policies import Request, Sampling
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.export.folder import export
from grpo_env_trl.export.model_card import model_card
from grpo_env_trl.inference.opening import open_policy
from grpo_env_trl.models.loading import open_model
from grpo_env_trl.runs.whole_checkpoints import mark_whole

CHAT = [{"role": "user", "content": "Hello"}]
SUMMARY = {
    "heldout": {
        "before": {"mean": 0.4012, "low": 0.37, "high": 0.43, "greedy": 0.55},
        "after": {"mean": 0.9634, "low": 0.951, "high": 0.976, "greedy": 1.0},
    }
}


@pytest.fixture(autouse=True)
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def trained(folder, family="qwen3", *, adapter=False, **training):
    """A run of a training that ended, with all weights or an adapter."""
    run = save_training(
        folder / "runs" / "one", {"learning_rate": 1e-5, "num_generations": 8, **training},
        env_version="0.1.0", distribution="grpo-env-hotel", config={"difficulty": "easy"}, versions={"trl": "1.16.0"},
    )  # fmt: skip
    (run / "summary.json").write_text(json.dumps(SUMMARY))
    if adapter:
        base = save_tiny_model(family, folder / "base")
        save_tiny_adapter(base, run / "model")
        AutoTokenizer.from_pretrained(base).save_pretrained(run / "model")
    else:
        save_tiny_model(family, run / "model")
    return "runs/one"


def scores_of(model):
    with torch.no_grad():
        return model(torch.tensor([[5, 6, 7]], device=model.device)).logits.cpu().float()


def said_by(folder):
    """What plain transformers makes of a folder."""
    answer = pipeline("text-generation", model=str(folder), device="cpu")
    said = answer(CHAT, max_new_tokens=5, do_sample=False)[0]["generated_text"]
    assert said[-1]["role"] == "assistant"
    return said[-1]["content"]


@pytest.mark.parametrize("family", ["llama3.2", "qwen3", "gemma3"])
def test_an_adapter_answers_through_pipeline_merged_or_not(family, workplace):
    run = trained(workplace, family, adapter=True)
    adapter = export(run, "adapter")
    merged = export(run, "merged", merge=True)
    assert (adapter / "adapter_config.json").exists()
    assert not (merged / "adapter_config.json").exists()
    tuned = scores_of(open_model("runs/one").model)
    torch.testing.assert_close(scores_of(open_model("adapter").model), tuned)
    torch.testing.assert_close(scores_of(AutoModelForCausalLM.from_pretrained(merged)), tuned, atol=1e-4, rtol=1e-3)
    assert not torch.allclose(tuned, scores_of(open_model("base").model), atol=1e-2)
    assert said_by(merged) == said_by(adapter)
    policy = open_policy(PolicySpec("adapter"))
    turn = asyncio.run(policy.respond(Request(CHAT, sampling=Sampling(temperature=0.0, max_tokens=5))))
    assert turn.message["content"] == said_by(merged)
    policy = open_policy(PolicySpec("adapter"))
    turn = asyncio.run(policy.respond(Request(CHAT, sampling=Sampling(temperature=0.0, max_tokens=5))))
    assert turn.message["content"] == said_by(merged)


def test_all_weights_are_copied_with_their_tokenizer(workplace):
    run = trained(workplace)
    folder = export(run)
    assert str(folder) == "runs/one/export"
    assert (folder / "model.safetensors").read_bytes() == (workplace / run / "model/model.safetensors").read_bytes()
    original = AutoTokenizer.from_pretrained("runs/one/model")
    assert AutoTokenizer.from_pretrained(folder).chat_template == original.chat_template
    assert isinstance(said_by(folder), str)


def test_a_checkpoint_is_exported_without_what_only_training_needs(workplace):
    run = trained(workplace)
    step = save_tiny_model("qwen3", workplace / run / "checkpoints/checkpoint-20", seed=5)
    for name in ("optimizer.pt", "trainer_state.json", "training_args.bin", "grpo_env_state.pkl"):
        (step / name).write_bytes(b"{}")
    folder = export(run, "at-20", checkpoint=20)
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "README.md", "chat_template.jinja", "config.json", "generation_config.json", "model.safetensors",
        "tokenizer.json", "tokenizer_config.json",
    }  # fmt: skip
    assert (folder / "model.safetensors").read_bytes() == (step / "model.safetensors").read_bytes()
    card = (folder / "README.md").read_text()
    assert "These weights are those of step 20, which was not evaluated." in card
    assert "0.963" not in card


def test_an_adapter_of_a_training_that_did_not_end_has_a_card_of_an_adapter(workplace):
    run = trained(workplace, adapter=True)
    step = workplace / run / "checkpoints/checkpoint-20"
    step.parent.mkdir()
    (workplace / run / "model").rename(step)
    (step / "grpo_env_metrics.json").write_text("{}")
    mark_whole(step, 1)
    folder = export(run, "at-20", checkpoint=20)
    assert 'AutoPeftModelForCausalLM.from_pretrained("at-20")' in (folder / "README.md").read_text()
    assert not (folder / "grpo_env_metrics.json").exists()


def test_a_checkpoint_that_is_not_there_is_answered_with_those_that_are(workplace):
    run = trained(workplace)
    with pytest.raises(UsageError, match=r"has no checkpoint of step 7\. It has: none"):
        export(run, checkpoint=7)
    for step in (20, 100):
        folder = save_tiny_model("qwen3", workplace / run / f"checkpoints/checkpoint-{step}")
        mark_whole(folder, 1)
    with pytest.raises(UsageError, match=r"It has: 20, 100\."):
        export(run, checkpoint=7)
    shutil.rmtree(workplace / run / "model")
    with pytest.raises(UsageError, match=rf"has no model yet.* grpo-env export {run} --checkpoint 100$"):
        export(run)
    (folder / "config.json").write_text("{")
    newest = f"Export its newest whole checkpoint: grpo-env export {run} --checkpoint 20"
    with pytest.raises(UsageError, match=f"has no model yet.* {newest}$"):
        export(run)
    with pytest.raises(UsageError, match=f"checkpoint-100' is damaged: config.json has 1 bytes, not .*{newest}$"):
        export(run, checkpoint=100)


def test_a_folder_that_exists_is_left_alone(workplace):
    run = trained(workplace)
    (workplace / "mine").mkdir()
    (workplace / "mine" / "notes.txt").write_text("keep")
    with pytest.raises(UsageError, match=r"'mine' exists already\. Choose another folder: --out DIR\."):
        export(run, "mine")
    assert [path.name for path in (workplace / "mine").iterdir()] == ["notes.txt"]


def test_nothing_to_merge_is_said(workplace):
    with pytest.raises(
        UsageError, match=r"is a whole model without an adapter, so there is nothing to merge\. Remove --merge\."
    ):
        export(trained(workplace), merge=True)


def test_what_fails_on_the_way_leaves_nothing_behind(workplace):
    run = trained(workplace, adapter=True)
    (workplace / run / "model" / "adapter_model.safetensors").write_bytes(b"torn")
    with pytest.raises(UsageError, match=r"The adapter in .* cannot be loaded"):
        export(run, "merged", merge=True)
    assert {path.name for path in workplace.iterdir()} == {"runs", "base"}


def test_a_place_that_cannot_be_written_is_one_line(workplace):
    run = trained(workplace)
    (workplace / "file").touch()
    with pytest.raises(
        UsageError, match=r"'file/deeper' cannot be written: .*Free some space, or choose another folder"
    ):
        export(run, "file/deeper")


@pytest.mark.parametrize(
    ("run", "message"),
    [("runs/on", r"There is no run 'runs/on'\. Did you mean 'runs/one'"), ("runs", r"'runs' is not a run")],
)
def test_what_is_no_run_is_answered(run, message, workplace):
    trained(workplace)
    with pytest.raises(GrpoEnvError, match=message):
        export(run)


def test_the_run_of_an_evaluation_has_nothing_to_export(workplace):
    folder = save_training(workplace / "runs" / "measured", {})
    (folder / "manifest.json").write_text(json.dumps({"format": "run-v1", "env": "hotel-v1"}))
    for checkpoint in (None, 3):
        with pytest.raises(UsageError, match="is a run of `grpo-env eval`, which has no model"):
            export("runs/measured", checkpoint=checkpoint)


def test_the_card_says_environment_version_config_and_scores(workplace):
    run = open_run(trained(workplace, adapter=True, model="Qwen/Qwen3-0.6B"))
    card = model_card(run, adapter=True, where="me/mine")
    _, front, body = card.split("---\n", 2)
    assert yaml.safe_load(front) == {
        "base_model": "Qwen/Qwen3-0.6B", "library_name": "peft", "pipeline_tag": "text-generation",
        "tags": ["grpo", "trl", "grpo-env-sdk"],
    }  # fmt: skip
    for said in (
        "# Qwen/Qwen3-0.6B trained on hotel-v1", "`grpo-env-hotel` 0.1.0", '`{"difficulty": "easy"}`',
        "| before | 0.401 [0.370, 0.430] | 0.550 |", "| after | 0.963 [0.951, 0.976] | 1.000 |",
        'AutoPeftModelForCausalLM.from_pretrained("me/mine")', "grpo-env eval hotel-v1 --model me/mine",
        "| `num_generations` | `8` |", "trl 1.16.0",
    ):  # fmt: skip
        assert said in body


def test_the_card_says_how_many_steps_a_resumed_training_had(workplace):
    run = open_run(trained(workplace, max_steps=400))
    assert "| `max_steps` | `400` |" in model_card(run, adapter=False)
    run.manifest[RESUME_WITH] = {"max_steps": 20}
    assert "| `max_steps` | `20` |" in model_card(run, adapter=False)


def test_the_card_names_no_folder_as_base_model_and_no_absolute_path(workplace):
    card = (export(trained(workplace, model="./base"), workplace / "mine") / "README.md").read_text()
    assert "base_model" not in card
    assert str(workplace) not in card
    assert 'AutoModelForCausalLM.from_pretrained("mine")' in card


def test_a_card_without_scores_says_so(workplace):
    run = trained(workplace)
    (workplace / run / "summary.json").unlink()
    assert "No rows were held out, so there are no scores." in model_card(open_run(run), adapter=False)


def test_the_code_of_the_card_runs(workplace):
    folder = export(trained(workplace, adapter=True), "mine")
    code = (folder / "README.md").read_text().split("```python\n")[1].split("```")[0]
    exec(code.replace('"..."', '"Hello"'), {})


def test_the_command_says_where_the_model_is_and_what_to_do_next(workplace, capsys):
    run = trained(workplace)
    assert main(["export", run, "--out", "mine"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("mine: 0.")
    assert "grpo-env eval hotel-v1 --model mine" in said
    assert main(["export", run, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["run"], told["folder"], told["merged"]) == ("runs/one", "runs/one/export", False)
    assert "README.md" in told["files"]


def test_the_command_refuses_in_one_line(workplace, capsys):
    trained(workplace)
    assert main(["export", "runs/one", "--merg"]) == 2
    assert "Did you mean '--merge'" in capsys.readouterr().err
    assert main(["export", "runs/two"]) == 2
    assert capsys.readouterr().err == "grpo-env: There is no run 'runs/two'. Did you mean 'runs/one'?\n"


def test_a_link_that_leads_out_of_the_folder_is_not_exported(workplace, capsys):
    run = trained(workplace)
    (workplace / "secret.txt").write_text("mine")
    (workplace / run / "model" / "notes.txt").symlink_to(workplace / "secret.txt")
    capsys.readouterr()
    assert main(["export", run]) == 2
    told = capsys.readouterr().err
    assert "model/notes.txt is a link that leads out of it" in told
    assert told.count("\n") == 1
    assert not (workplace / run / "export").exists()


@pytest.mark.parametrize(
    "training", [{"temperature": "x"}, {"chat_template_kwargs": 1}, {"top_k": [1]}, {"a": 10**400}]
)
def test_a_damaged_manifest_of_a_training_is_one_line_or_works(training, workplace, capsys):
    run = trained(workplace)
    path = workplace / run / "manifest.json"
    manifest = json.loads(path.read_text())
    for keys in (training, dict.fromkeys(manifest["training"])):
        path.write_text(json.dumps(manifest | {"training": keys}))
        for words in (
            ["export", run, "--out", "out"],
            ["eval", "hotel-v1", "-m", run, "-n", "1", "--limit-turns", "1"],
        ):
            code = main(words)
            told = capsys.readouterr().err
            assert code in (0, 1) or [line for line in told.splitlines() if line.startswith("grpo-env: ")]
        shutil.rmtree("out", ignore_errors=True)
