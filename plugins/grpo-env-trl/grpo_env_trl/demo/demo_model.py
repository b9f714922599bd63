"""The demo model: built from the solutions of one environment or several, and the settings that it is trained with."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from grpo_env_sdk.ext import LoadedEnv, Rows
from grpo_env_trl.demo.demonstrations import demonstrate, error_messages
from grpo_env_trl.demo.kept_weights import warmed
from grpo_env_trl.demo.model import CONTEXT, WARM_START_STEPS, build_model, together, tokenize_demos
from grpo_env_trl.demo.slot_values import AnyOf
from grpo_env_trl.demo.tokenizer import MIN_COUNT, build_tokenizer
from grpo_env_trl.progress import Progress

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM


TRIAL_STEPS = 10
"""A training of fewer steps is a trial, as its learning rate is still rising then: its warm start is short."""
_TRIAL_SHARE = 8
"""A short warm start has one of so many demonstrations and steps."""
_LEEWAY = 3
"""A turn may be this many times the longest demonstrated one; a model that does not stop then scores lower."""


@dataclass(frozen=True)
class DemoModel:
    """A model that can call tools and answer, but does not know yet what is right; ready for GRPO."""

    model: "Qwen3ForCausalLM"
    tokenizer: "PreTrainedTokenizerFast"
    max_turn_tokens: int


def make_demo_model(
    loaded: LoadedEnv, rows: Rows, *, others: Sequence[tuple[LoadedEnv, Rows]] = (), seed: int = 0,
    progress: Progress | None = None, episodes: int = 4000, trial: bool = False,
) -> DemoModel:  # fmt: skip
    """A demo model for an environment that has `solve`, and for `others`.

    `progress` gets the stage, the count and the total; `episodes` are how many are shown of each environment.
    The model of a `trial` gets a short warm start, and so makes more mistakes.
    """
    share = _TRIAL_SHARE if trial else 1
    episodes //= share
    text = progress or (lambda what, done, of: None)
    envs = [(loaded, rows), *others]
    shown = [demonstrate(env, rows, seed, _named(env, text) if others else text, episodes) for env, rows in envs]
    said, tools = [], []
    for (env, _), part in zip(envs, shown, strict=True):
        refused = error_messages(env, part.tools) * MIN_COUNT
        said += [*part.solved, *refused]
        tools += [*part.tools, *[part.tools[-1]] * len(refused)]
    tokenizer = build_tokenizer(said, tools, AnyOf([part.values for part in shown]))
    model = build_model(tokenizer, seed)
    demos = together([
        tokenize_demos(one.randomized, one.tools_of_randomized, tokenizer, CONTEXT, one.earlier) for one in shown
    ])  # fmt: skip
    warmed(model, demos, seed, partial(text, "imitating"), WARM_START_STEPS // share * len(envs))
    return DemoModel(model, tokenizer, _LEEWAY * demos.longest_turn)


def _named(env: LoadedEnv, text: Progress) -> Progress:
    return lambda what, done, of: text(f"{what} {env.spec.id}", done, of)


def demo_settings() -> dict[str, Any]:
    """Fields of `trl.GRPOConfig` with which a demo model learns in about a minute on two cores."""
    from transformers import TrainingArguments

    renamed = "activation_checkpointing" in TrainingArguments.__dataclass_fields__
    checkpointing = "activation_checkpointing" if renamed else "gradient_checkpointing"
    return {
        "learning_rate": 1e-3,
        "lr_scheduler_type": "constant_with_warmup",
        "warmup_steps": TRIAL_STEPS,
        "max_steps": 120,
        "per_device_train_batch_size": 32,
        "gradient_accumulation_steps": 2,  # 64 at once would take 130 MB more
        "num_generations": 8,
        "max_completion_length": 256,
        "temperature": 1.0,
        "top_k": 0,
        "beta": 0.0,
        "loss_type": "dapo",
        "scale_rewards": "group",
        "max_grad_norm": 1.0,
        "adam_beta2": 0.99,
        "weight_decay": 0.0,
        "disable_dropout": True,
        checkpointing: False,
        "ddp_find_unused_parameters": False,
        "bf16": False,
        "use_cpu": True,
    }
