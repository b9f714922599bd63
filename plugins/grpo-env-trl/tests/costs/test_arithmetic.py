"""What a plan computes without running a model: sizes, steps, memory shared by processes, and what is out of reach."""

import math

import pytest
from transformers import Qwen3Config
from trl import GRPOConfig, GRPOTrainer

from grpo_env_sdk.errors import UsageError
from grpo_env_trl import trainer_kwargs
from grpo_env_trl.costs.advice import faster_update
from grpo_env_trl.costs.async_steps import Prompts
from grpo_env_trl.costs.cost_table import count, duration, size
from grpo_env_trl.costs.estimate import Estimate
from grpo_env_trl.costs.placement import placement_of
from grpo_env_trl.costs.step_sizes import StepSizes
from grpo_env_trl.preflight.memory import GIB, Needs
from grpo_env_trl.settings import read_settings


def settings(*words):
    return read_settings(["environments:Errands", "--model", "some/model", *words])


def test_estimates_add_up_with_their_ranges():
    whole = Estimate(1, 0.5, 2) + Estimate.of([1, 7, 4]) * 2
    assert whole == Estimate(9, 2.5, 16)
    assert Estimate.exactly(3).up_to(2) == Estimate(3, 3, 6)


@pytest.mark.parametrize(("changes", "rows"), [
    ({}, 40), ({"gradient_accumulation_steps": 3}, 40), ({"steps_per_generation": 4}, 37),
    ({"num_iterations": 2, "gradient_accumulation_steps": 2}, 40), ({"num_train_epochs": 2.5}, 21),
    ({"max_steps": 5}, 40),
])  # fmt: skip
def test_steps_are_counted_as_the_trainer_counts_them(changes, rows, tiny, tmp_path):
    model, tokenizer = tiny("qwen3")
    args = GRPOConfig(
        str(tmp_path), use_cpu=True, bf16=False, per_device_train_batch_size=4, num_generations=2, report_to="none",
        **{"num_train_epochs": 1, **changes},
    )  # fmt: skip
    kwargs = trainer_kwargs("environments:Errands", tokenizer, args=args, rows=rows, eval_rows=0)
    trainer = GRPOTrainer(model=model, **kwargs)
    counted = trainer.set_initial_training_values(trainer.args, trainer.get_train_dataloader())
    there = len(trainer.train_dataset)
    assert StepSizes.of(args, 1).steps(args, there) == counted[-1]


def test_episodes_are_those_of_all_processes():
    args = GRPOConfig(
        "out", use_cpu=True, bf16=False, per_device_train_batch_size=4, gradient_accumulation_steps=2,
        generation_batch_size=64, num_iterations=2,
    )  # fmt: skip
    sizes = StepSizes.of(args, 4)
    assert (sizes.batch, sizes.trained, sizes.sampled) == (16, 32, 16)


@pytest.mark.parametrize(("name", "stage"), [("ddp", 0), ("zero2", 2), ("zero3", 3), ("fsdp2", 3)])
def test_what_processes_share_is_read_without_deepspeed_or_gpus(name, stage):
    found = placement_of(settings("--num-processes", "8", "--accelerate-config", name), lambda: 0)
    assert (found.processes, found.stage) == (8, stage)
    assert found.settings.grpo["generation_batch_size"] == 64
    assert found.settings.accelerate_config is None


def test_the_gpus_of_servers_do_not_train():
    found = placement_of(settings("--vllm-server-gpus", "2", "--bf16"), lambda: 8)
    assert (found.processes, found.servers, dict(found.missing)) == (6, 2, {})


def test_what_needs_a_gpu_is_kept_for_the_memory_alone():
    found = placement_of(settings("--bf16", "--peft", "--load-in-4bit"), lambda: 0)
    assert found.missing_flags == "--bf16, --load-in-4bit"
    assert "bf16" not in found.settings.grpo
    assert found.settings.model_config == {"use_peft": True}


def test_a_batch_that_does_not_divide_is_refused_for_all_processes():
    with pytest.raises(UsageError, match="does not divide into groups"):
        placement_of(settings("--num-processes", "3", "--per-device-train-batch-size", "3"), lambda: 0)


def test_sharing_divides_what_a_stage_shares():
    needs = Needs(8, 8, 16, 4, 1, 1, 1, 8, 24)
    assert needs.shared(0, 4) == needs
    assert (needs.shared(1, 4).optimizer, needs.shared(1, 4).gradients) == (4, 8)
    assert (needs.shared(2, 4).gradients, needs.shared(2, 4).weights) == (2, 8)
    assert needs.shared(3, 4) == Needs(2, 2, 4, 1, 1, 1, 1, 8, 24)


def test_a_model_that_is_far_too_large_is_computed_and_not_loaded(figures, model, tmp_path_factory):
    from transformers import AutoTokenizer

    folder = tmp_path_factory.mktemp("huge")
    tokenizer = AutoTokenizer.from_pretrained(model)
    tokenizer.save_pretrained(folder)
    Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=16384,
        intermediate_size=131072,
        num_hidden_layers=10,
        dtype="bfloat16",
        num_attention_heads=64,
        num_key_value_heads=8,
        architectures=["Qwen3ForCausalLM"],
    ).save_pretrained(folder)  # no weights: they must not be looked for
    one = figures("arithmetic-v1", model=folder)
    assert one["seconds"] is None
    assert "GiB" in one["not_measured"]
    assert one["memory"]["weights"] > 200 * GIB
    assert one["episode"]["source"] == "the environment's own solution"
    assert one["tokens"]["sampled_a_step"]["value"] > 0
    assert "These options help" in one["advice"]
    shared = figures("arithmetic-v1 --num-processes 16 --accelerate-config zero3 --bf16 --peft", model=folder)
    assert shared["memory"]["weights"] == pytest.approx(one["memory"]["weights"] / 16)
    assert "--bf16 needs a GPU" in shared["not_measured"]


def test_advice_on_the_update_names_only_what_is_not_set():
    ways = ["--peft", "--gradient-checkpointing"]
    assert "--peft" in faster_update(ways)
    assert "--gradient-checkpointing" not in faster_update(ways)
    assert "--gradient-checkpointing false" in faster_update([])
    assert "--peft" not in faster_update([])


def test_numbers_are_written_for_people():
    assert count(Estimate.exactly(1234)) == "1,230"
    assert duration(Estimate(90, 30, 200)) == "90 s (30 s to 3.3 min)"
    assert duration(Estimate.exactly(0.0123)) == "0.012 s"
    assert (size(512), size(3 * 2**20), size(1.5 * GIB)) == ("512 B", "3.0 MiB", "1.5 GiB")
    assert math.isclose(Estimate.of([3]).value, 3)


def test_prompts_share_what_all_of_them_begin_with():
    assert Prompts.of([[1, 2, 3, 4], [1, 2, 5], [1, 2, 3, 9]]) == Prompts(11 / 3, 2)
    assert Prompts.of([[1, 2]]) == Prompts(2.0, 2)
    assert Prompts.of([]) == Prompts(0.0, 0)
