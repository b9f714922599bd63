"""All code that depends on how TRL uses vLLM in its own process; `tests/test_trl_vllm.py` tests each fact."""

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from grpo_env_trl.serving.process import free_port

PRECISIONS = {"bf16": "bfloat16", "fp16": "float16"}
"""What accelerate calls the precision of a forward pass, and what vLLM calls it."""


def samples_alone(trainer: Any) -> bool:
    """Whether each process has a whole vLLM of its own; with tensor parallelism several share one."""
    if not getattr(trainer, "use_vllm", False) or trainer.vllm_mode != "colocate":
        return False
    return bool(trainer.vllm_generation.tensor_parallel_size == 1)


@contextmanager
def awake(trainer: Any) -> Iterator[Any]:
    """vLLM's engine with the weights of this step; in sleep mode it sleeps again afterwards.

    Every process must enter this: with FSDP and ZeRO-3 the weights are gathered.
    """
    generation = trainer.vllm_generation
    step, sleeps = trainer.state.global_step, generation.enable_sleep_mode
    if trainer._last_loaded_step != step or (sleeps and generation._llm_weights_sleeping):
        generation.sync_weights()
        trainer._last_loaded_step = step
    if sleeps:
        generation.llm.wake_up(tags=["kv_cache"])
    try:
        yield generation.llm.llm_engine
    finally:
        if sleeps:
            generation.llm.sleep(level=2)
            generation._llm_weights_sleeping = True


def sampling_of(trainer: Any) -> Callable[[int, int], Any]:
    """The parameters of a request, from the most tokens it may get and its seed; the rest is what TRL gives."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams

    generation = trainer.vllm_generation
    given = {
        "repetition_penalty": generation.repetition_penalty,
        "temperature": generation.temperature,
        "top_p": generation.top_p,
        "top_k": generation.top_k,
        "min_p": generation.min_p or 0.0,
        "logprobs": generation.logprobs,
        "stop_token_ids": list(trainer.eos_token_ids),
        **generation.generation_kwargs,
        "n": 1,
        "output_kind": RequestOutputKind.FINAL_ONLY,
    }
    shape = given.get("structured_outputs")
    if generation.structured_outputs_regex is not None:
        given["structured_outputs"] = StructuredOutputsParams(regex=generation.structured_outputs_regex)
    elif isinstance(shape, dict):
        given["structured_outputs"] = StructuredOutputsParams(**shape)
    cap = given.pop("max_tokens", None)
    return lambda most, seed: SamplingParams(**{**given, "max_tokens": min(most, cap or most), "seed": seed})


def serve_in_the_trainers_dtype() -> None:
    """Let every vLLM that TRL starts from now on have its trainer's dtype: TRL names none, and vLLM halves float32."""
    from trl.generation import vllm_generation as module

    start = module.VLLMGeneration._init_vllm
    if not hasattr(module, "LLM") or hasattr(start, "__wrapped__"):  # vLLM is not installed, or this has been done
        return

    @functools.wraps(start)
    def started(generation: Any) -> None:
        os.environ.setdefault("MASTER_PORT", str(free_port()))  # TRL tries 29500 first, as another training may now
        llm = module.LLM
        module.LLM = functools.partial(llm, dtype=dtype_of(generation.model, generation.accelerator.mixed_precision))
        try:
            start(generation)
        finally:
            module.LLM = llm

    module.VLLMGeneration._init_vllm = started


def dtype_of(model: Any, mixed_precision: str) -> str:
    """The dtype in which a trainer's forward pass calculates, as vLLM names it."""
    return PRECISIONS.get(mixed_precision) or str(model.dtype).removeprefix("torch.")
