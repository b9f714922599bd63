"""LoRA on the families that people train: it trains, is exported, answers through plain transformers, is measured."""

import json

import pytest
import torch
from quick import flags
from transformers import AutoModelForCausalLM, pipeline

from grpo_env_sdk.cli import main
from grpo_env_trl.models.loading import open_model

CHAT = [{"role": "user", "content": "Hello"}]
LORA = {"peft": True, "lora_r": 4, "learning_rate": 0.05, "eval_rows": 0}


@pytest.mark.parametrize(("family", "env"), [
    ("llama3.2", "lessons:Spell"), ("qwen3", "lessons:Spell"), ("gemma3", "environments:Parts"),
])  # fmt: skip
def test_an_adapter_trains_and_is_exported_and_answers_and_is_measured(family, env, models, workplace, capsys):
    assert main(["train", env, "--model", models(family), "--lora-target-modules", "q_proj", *flags(**LORA)]) == 0
    assert (workplace / "run/model/adapter_config.json").exists()
    assert not (workplace / "run/model/model.safetensors").exists()
    assert main(["export", "run", "--out", "adapter"]) == 0
    assert main(["export", "run", "--merge", "--out", "merged"]) == 0
    said = [
        pipeline("text-generation", model=folder, device="cpu")(CHAT, max_new_tokens=5, do_sample=False)
        for folder in ("adapter", "merged")
    ]
    assert said[0] == said[1]
    assert said[0][0]["generated_text"][-1]["role"] == "assistant"
    assert moved(models(family))
    capsys.readouterr()
    assert main(["eval", env, "--model", "run", "--rows", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["episodes"] == 2


def moved(base):
    """Whether training changed what the model says."""
    trained, before = (AutoModelForCausalLM.from_pretrained(folder) for folder in ("merged", base))
    torch.testing.assert_close(trained.state_dict()["lm_head.weight"], before.state_dict()["lm_head.weight"])
    return not torch.equal(
        trained.state_dict()["model.layers.0.self_attn.q_proj.weight"],
        open_model(base).model.state_dict()["model.layers.0.self_attn.q_proj.weight"],
    )
