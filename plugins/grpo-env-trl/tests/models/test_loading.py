"""From names to models: folders, adapters, runs, the hub; and one line for each way in which that goes wrong."""

import fcntl
import json

import pytest
import torch
from tiny_models import (
    FAMILIES,
    save_tiny_adapter,
    save_tiny_model,
    save_tiny_reward_model,
    save_training,
    tiny_model,
    without_weights,
)
from transformers import BertConfig, BertForMaskedLM, T5Config, T5ForConditionalGeneration

from grpo_env_sdk.errors import UsageError
from grpo_env_trl.models.loading import open_model, open_tokenizer
from grpo_env_trl.models.reward_model import open_reward_model
from grpo_env_trl.models.source import find_model, find_tokenizer
from grpo_env_trl.runs.whole_checkpoints import mark_whole


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("family", FAMILIES)
def test_a_folder_is_opened_with_its_tokenizer_padding_on_the_left(family, workplace):
    save_tiny_model(family, workplace / "tiny")
    opened = open_model("tiny")
    assert opened.tokenizer.padding_side == "left"
    assert opened.tokenizer.pad_token_id is not None
    assert not opened.model.training
    expected, _ = tiny_model(family)
    ids = torch.tensor([[5, 6, 7]])
    with torch.no_grad():
        torch.testing.assert_close(opened.model(ids).logits.cpu().float(), expected(ids).logits)


def test_a_model_of_which_weights_are_missing_is_one_line(workplace):
    save_tiny_model("qwen3", workplace / "tiny")
    without_weights(workplace / "tiny", "layers.1.mlp")
    with pytest.raises(UsageError, match=r"have no weights model\.layers\.1\.mlp\.down_proj\.weight and 2 more"):
        open_model("tiny")
    save_tiny_reward_model(workplace / "judge")
    without_weights(workplace / "judge", "score")
    with pytest.raises(UsageError, match=r"The files in 'judge' have no weights score\.weight, which would be random"):
        open_reward_model("judge")


def test_dtype_and_device_are_what_the_machine_can_or_as_asked(workplace):
    save_tiny_model("qwen3", workplace / "tiny")
    opened = open_model("tiny")
    usual = {torch.float32} if opened.model.device.type == "cpu" else {torch.bfloat16, torch.float16}
    assert opened.model.dtype in usual
    asked = open_model("tiny", dtype=torch.bfloat16, device="cpu").model
    assert (asked.dtype, asked.device.type) == (torch.bfloat16, "cpu")


def test_an_adapter_is_applied_to_the_model_that_it_was_trained_on(workplace):
    base = save_tiny_model("llama3.2", workplace / "base")
    save_tiny_adapter(base, workplace / "adapter")
    found = find_model("adapter")
    assert found.adapter
    opened = open_model("adapter")
    ids = torch.tensor([[5, 6, 7]], device=opened.model.device)
    with torch.no_grad():
        assert not torch.allclose(opened.model(ids).logits, open_model("base").model(ids).logits)
    assert opened.tokenizer.chat_template == open_tokenizer("base").chat_template


def test_an_adapter_whose_base_is_gone_says_what_it_was_trained_on(workplace):
    base = save_tiny_model("qwen3", workplace / "base")
    save_tiny_adapter(base, workplace / "adapter")
    base.rename(workplace / "elsewhere")
    with pytest.raises(UsageError, match=r"The adapter 'adapter' was trained on '.*base': There is no folder"):
        open_model("adapter")


def test_a_run_gives_its_model_and_remembers_that_it_is_one(workplace):
    run = save_training(workplace / "runs" / "one", {"max_turn_tokens": 24})
    save_tiny_model("qwen3", run / "model")
    found = find_model("runs/one")
    assert found.path == "runs/one/model"
    assert found.run.manifest["training"]["max_turn_tokens"] == 24


def test_the_model_folder_and_a_checkpoint_of_a_run_know_their_run_too(workplace):
    run = save_training(workplace / "runs" / "one", {"max_turn_tokens": 24})
    for folder in (run / "model", run / "checkpoints" / "checkpoint-5"):
        save_tiny_model("qwen3", folder)
        assert find_model(str(folder)).run.path.name == "one"


def test_a_run_that_did_not_end_points_to_its_last_checkpoint(workplace):
    run = save_training(workplace / "runs" / "one", {})
    with pytest.raises(UsageError, match=r"has no model yet.*Continue the training: grpo-env train --resume runs/one"):
        find_model("runs/one")
    for step in (9, 10):
        (run / "checkpoints" / f"checkpoint-{step}").mkdir(parents=True)
        mark_whole(run / "checkpoints" / f"checkpoint-{step}", 1)
    with pytest.raises(UsageError, match=r"Use its last checkpoint, 'runs/one/checkpoints/checkpoint-10'"):
        find_model("runs/one")


def test_a_run_that_goes_on_is_waited_for_and_not_resumed(workplace):
    run = save_training(workplace / "runs" / "one", {})
    with (run / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match=r"no model yet: its training is running\. Wait until it ends\.$"):
            find_model("runs/one")


def test_a_run_of_an_evaluation_has_no_model(workplace):
    run = save_training(workplace / "runs" / "measured", {})
    (run / "manifest.json").write_text(json.dumps({"format": "run-v1", "env": "hotel-v1"}))
    with pytest.raises(UsageError, match=r"is a run of `grpo-env eval`.*replay:runs/measured"):
        find_model("runs/measured")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("./tiny-qwen", r"There is no folder '\./tiny-qwen'.*Did you mean 'tiny-qwen3'"),
        ("runs/none", r"There is no folder 'runs/none'.*Did you mean 'runs/nine'"),
        ("a/b/c", r"There is no folder 'a/b/c', which looks like a path\. 'a/b' is not a folder either"),
        ("nine", r"There is no folder 'nine'\. Did you mean 'runs/nine'"),
        ("a" * 300, r"The model '(a+)' cannot be read: File name too long"),
        ("file.gguf", r"is a file, not the folder of a model"),
        ("empty", r"contains no model: there is no config\.json, only an empty folder"),
        ("full", r"only a\.txt, b\.txt, c\.txt, d\.txt, e\.txt and 2 more.*GGUF"),
    ],
)
def test_a_name_that_is_no_model_is_answered_in_one_line(name, message, workplace):
    save_tiny_model("qwen3", workplace / "tiny-qwen3")
    save_training(workplace / "runs" / "nine", {})
    (workplace / "file.gguf").touch()
    (workplace / "empty").mkdir()
    (workplace / "full").mkdir()
    for letter in "abcdefg":
        (workplace / "full" / f"{letter}.txt").touch()
    with pytest.raises(UsageError, match=message) as caught:
        find_model(name)
    assert "\n" not in str(caught.value)


TINY = {"vocab_size": 16, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (lambda: BertForMaskedLM(BertConfig(**TINY, intermediate_size=8)), "BertForMaskedLM"),
        (lambda: T5ForConditionalGeneration(T5Config(**TINY, d_kv=8, d_ff=8)), "T5ForConditionalGeneration"),
    ],
)
def test_a_model_that_does_not_go_on_writing_is_refused_before_its_weights_are_read(made, name, workplace):
    made().save_pretrained("other")
    (workplace / "other" / "model.safetensors").write_bytes(b"never read")
    with pytest.raises(UsageError, match=rf"'other' is a {name}, which is not a causal language model"):
        open_model("other")


def test_a_config_of_no_known_model_is_said(workplace):
    (workplace / "odd").mkdir()
    (workplace / "odd" / "config.json").write_text('{"model_type": "never-heard-of"}')
    with pytest.raises(UsageError, match=r"The config of 'odd' cannot be read.*never-heard-of"):
        open_model("odd")


def test_weights_that_were_cut_short_are_said(workplace):
    folder = save_tiny_model("qwen3", workplace / "tiny")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(UsageError, match=r"The weights in 'tiny' cannot be loaded: SafetensorError.*interrupted"):
        open_model("tiny")


def test_a_folder_without_a_tokenizer_is_said(workplace):
    folder = save_tiny_model("qwen3", workplace / "tiny")
    for path in folder.glob("tokenizer*"):
        path.unlink()
    with pytest.raises(UsageError, match=r"The tokenizer of 'tiny' cannot be loaded"):
        open_tokenizer("tiny")


def test_the_folder_of_a_tokenizer_may_begin_at_home(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_tokenizer("~/mine").path == str(tmp_path / "mine")
