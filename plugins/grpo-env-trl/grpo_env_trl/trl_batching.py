"""All code that depends on transformers' continuous batching, and on how TRL sets it up."""

import copy
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import ceil
from typing import Any

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import LoadedEnv, UnusablePolicyError, UsageError, one_line
from grpo_env_trl import ranks, trl_facts
from grpo_env_trl.seeded_batching import draw_by_seed

FLAG = "--use-transformers-continuous-batching"
_CONFIG = "--transformers-continuous-batching-config"
_DRAWS_WITH = {"do_sample", "temperature", "top_k", "top_p", "min_p", "eos_token_id"}
"""What it knows of `generation_kwargs`; it leaves the others out with a word in its log."""
_PROMPT = 1024
"""Tokens of a prompt for which the cache has room; where prompts are longer, turns wait for room."""
_STEP_ON_CPU = 1024
"""Tokens that one step reads on a CPU, whose attention mask has so many rows."""


def samples_alone(trainer: Any) -> bool:
    """Whether each process samples with a continuous batching of its own: it was asked for, and has a whole model."""
    if not getattr(trainer, "use_transformers_continuous_batching", False):
        return False
    if ranks.forward_is_collective():
        _say_that_all_sample_together()
        return False
    return True


@cache
def _say_that_all_sample_together() -> None:
    if ranks.rank() == 0:
        why = "The model is spread over processes (ZeRO-3, FSDP), so all sample in rounds"
        warnings.warn(f"{why}: {FLAG} has no effect.", GrpoEnvWarning, stacklevel=2)


def check(args: Any) -> None:
    """Raise where a `GRPOConfig` asks for continuous batching together with what it cannot do."""
    if not args.use_transformers_continuous_batching:
        return
    if args.use_vllm:
        raise UsageError(f"{FLAG} and --use-vllm are two ways to sample.", "Remove one of them.")
    more = sorted({*(args.generation_kwargs or {})} - _DRAWS_WITH)
    unknown = [*(["repetition_penalty"] if args.repetition_penalty != 1.0 else []), *more]
    if unknown:
        raise UsageError(f"{FLAG} samples without {', '.join(unknown)}.", "Remove it, or the flag.")


def refuse_bridge(bridge: str, env: str, images: bool) -> None:
    """Raise for a bridge that leaves sampling to TRL."""
    if images:
        raise UsageError(f"{env} shows images, which {FLAG} cannot read.", "Remove the flag.")
    raise UsageError(f"{FLAG} plays whole episodes, and the bridge is {bridge}.", "Remove the flag, or the bridge.")


def unless_scored_with(args: Any, envs: Sequence[LoadedEnv]) -> Any:
    """The arguments; without continuous batching, and with a warning, where scorers use the model that it samples."""
    scoring = [env.spec.id for env in envs if env.scores_with_model]
    if not args.use_transformers_continuous_batching or not scoring:
        return args
    warnings.warn(
        f"{scoring[0]} scores with the model, so its turns are sampled in rounds, between the scores: {FLAG} has no "
        "effect.",
        GrpoEnvWarning,
        stacklevel=3,
    )
    found = copy.copy(args)
    found.use_transformers_continuous_batching = False
    return found


@contextmanager
def running(trainer: Any) -> Iterator[Any]:
    """A manager that samples with the weights of this step; its cache is new, so it holds nothing of older weights.

    Afterwards the model is as it was, and so are torch's random numbers.
    """
    import torch

    device = trainer.accelerator.device
    with (
        _quiet(),
        trl_facts.generating_model(trainer) as model,
        _in_precision_of(trainer.args, model),
        torch.random.fork_rng(devices=[device] if device.type == "cuda" else []),
    ):
        was_training, attention = model.training, model.config._attn_implementation
        try:
            try:
                manager = _prepared(model, trainer)
            except Exception as exc:  # what transformers raises for a model, an attention or a device
                raise failed(one_line(exc)) from exc
            manager.start()
            try:
                yield manager
            finally:
                manager.stop(hard_stop=True)
                manager.destroy()
        finally:
            model.train(was_training)
            if model.config._attn_implementation != attention:
                model.set_attn_implementation(attention)


@contextmanager
def _in_precision_of(args: Any, model: Any) -> Iterator[None]:
    """Cast the weights for a batch with `bf16` or `fp16`: under autocast keys and values would differ in dtype."""
    import torch

    dtype = torch.bfloat16 if args.bf16 else torch.float16 if args.fp16 else None
    head = {*model.lm_head.parameters()} if dtype and args.cast_lm_head_to_fp32 else set()
    weights = [weight for weight in model.parameters() if dtype and weight.is_floating_point() and weight not in head]
    whole = [(weight, weight.data) for weight in weights]
    try:
        for weight, data in whole:
            weight.data = data.to(dtype)
        yield
    finally:
        for weight, data in whole:
            weight.data = data


def failed(why: str) -> UnusablePolicyError:
    """The error of a batch that transformers cannot sample."""
    return UnusablePolicyError(
        f"transformers' continuous batching failed: {why.rstrip('.')}.",
        f"{_CONFIG} '{{\"max_memory_percent\": 0.8}}' gives it more memory. Or train without {FLAG}.",
        "continuous_batching",
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Its log repeats for every batch what `check` says once, and what the error of a request says."""
    log = logging.getLogger("ContinuousBatchingLogger")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(level)


def _prepared(model: Any, trainer: Any) -> Any:
    """A manager whose cache is as large as a batch needs, or as the memory allows."""
    for blocks in (_blocks_of_a_batch(trainer), None):
        config = _config(trainer, blocks)
        manager = model.init_continuous_batching(trainer.generation_config, config)
        try:
            draw_by_seed(manager)
            manager.warmup()
            break
        except MemoryError:
            if blocks is None:
                raise
    return manager


def _config(trainer: Any, blocks: int | None) -> Any:
    """TRL's config, with what the user left open."""
    found = copy.copy(trainer.continuous_batching_config)
    found.return_logprobs = True
    found.num_blocks = found.num_blocks or blocks
    found.max_requests_per_batch = found.max_requests_per_batch or _episodes(trainer)
    if trainer.accelerator.device.type == "cpu":
        found.max_batch_tokens = found.max_batch_tokens or max(_STEP_ON_CPU, _episodes(trainer))
    return found


def _blocks_of_a_batch(trainer: Any) -> int:
    config = trainer.continuous_batching_config
    size = config.page_size if hasattr(config, "page_size") else config.block_size  # up to transformers 5.17
    longest = trl_facts.context_length(trainer) or 0
    usual = _PROMPT + trainer.max_completion_length
    blocks = max(ceil(longest / size), _episodes(trainer) * ceil(usual / size))
    return int(blocks)


def _episodes(trainer: Any) -> int:
    """How many episodes a process plays at once."""
    return int(trainer.args.generation_batch_size) // int(trainer.accelerator.num_processes)
