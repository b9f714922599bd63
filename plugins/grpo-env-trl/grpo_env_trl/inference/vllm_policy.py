"""`--model vllm:NAME`: vLLM samples in this process, and reads and writes the same tokens as in training."""

import json
import os
import warnings
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

from grpo_env_sdk.ext import UsageError, did_you_mean, one_line
from grpo_env_trl.inference.sampling import Answer
from grpo_env_trl.inference.sampling_params import SamplingParams, params_of_model, params_of_training
from grpo_env_trl.inference.seeing_policy import SeeingPolicy
from grpo_env_trl.inference.vllm_name import model_name, vllm_arguments
from grpo_env_trl.inference.vllm_sampler import SteppedSampler
from grpo_env_trl.models.hub import fetch
from grpo_env_trl.models.loading import (
    best_dtype,
    check_writes,
    config_of,
    generation_config_of,
    open_processor,
    open_tokenizer,
    sees,
)
from grpo_env_trl.models.source import ADAPTER, ModelSource, base_of, find_model
from grpo_env_trl.tokens.tokenizers import end_ids
from grpo_env_trl.tokens.vision import places_and_images
from grpo_env_trl.writers.vllm_engine import VllmEngine

_SETTINGS = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_LOGGING_LEVEL": "CRITICAL",
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_CPU_KVCACHE_SPACE": "4",
}
"""In this process, so that Ctrl-C ends episodes before the engine; stdout is for results; on a CPU, not all memory."""
_ON_CPU = {"enable_chunked_prefill": False, "max_num_batched_tokens": 1 << 15}
"""A prompt in pieces and a seed end vLLM's build for CPUs (RuntimeError: CPU Generator does not use offset)."""
_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)
"""The highest ranks that vLLM can be prepared for."""


def vllm_policy(given: str, concurrency: int) -> SeeingPolicy:
    """The policy of a hub id, folder or run, whose turns vLLM samples."""
    arguments = vllm_arguments(given)
    if find_spec("vllm") is None:
        raise UsageError(f"--model {given} needs vLLM.", "pip install 'grpo-env-trl[vllm]'")
    source = find_model(model_name(given))
    base = base_of(source) if source.adapter else source
    check_writes(base)
    tokenizer = open_tokenizer(source)
    config = generation_config_of(base)
    run = source.run
    usual = params_of_training(run.manifest["training"]) if run else params_of_model(config)
    llm, adapter = _started(source, base, {"max_num_seqs": concurrency, **arguments})
    place = getattr(llm.llm_engine.model_config.hf_config, "image_token_id", None)
    processor = cache(partial(open_processor, source))
    engine = VllmEngine(
        llm.llm_engine, _sampling(usual.repetition_penalty, place), adapter,
        lambda answer: _prompt(answer, processor, usual),
    )  # fmt: skip
    return SeeingPolicy(
        SteppedSampler(engine, llm.llm_engine.engine_core.shutdown),
        tokenizer,
        name=given,
        usual=usual,
        ends=end_ids(config.eos_token_id),
        reads=llm.llm_engine.model_config.max_model_len,
        open_processor=processor,
    )


def _prompt(answer: Answer, processor: Callable[[], Any], usual: SamplingParams) -> dict[str, Any]:
    """What vLLM reads of a context; it gives images their tokens itself."""
    if not answer.shown:
        return {"prompt_token_ids": answer.context}
    ids, images = places_and_images(processor(), answer.shown, dict(usual.chat_template_kwargs or {}))
    return {"prompt_token_ids": ids, "multi_modal_data": {"image": images}}


def _started(source: ModelSource, base: ModelSource, arguments: dict[str, Any]) -> tuple[Any, Any]:
    """A vLLM with the model, and the adapter that its requests name."""
    for variable, value in _SETTINGS.items():
        os.environ.setdefault(variable, value)
    try:
        with warnings.catch_warnings():  # of vLLM, about torch
            warnings.simplefilter("ignore")
            import torch
            from vllm import LLM
            from vllm.engine.arg_utils import EngineArgs
            from vllm.lora.request import LoRARequest

            _check(arguments, EngineArgs.__dataclass_fields__)
            adapter = LoRARequest("adapter", 1, source.path) if source.adapter else None
            usual = {
                "dtype": str(best_dtype()).removeprefix("torch."),
                "max_model_len": -1,  # the longest that fits into the memory
                "gpu_memory_utilization": _free_share(),
                "use_tqdm_on_load": False,
                **({} if torch.cuda.is_available() else _ON_CPU),
                **({"enable_lora": True, "max_lora_rank": _rank(source)} if adapter else {}),
            }
            ours = {
                "revision": base.revision,
                "logprobs_mode": "raw_logprobs",
                "skip_tokenizer_init": not sees(config_of(base)),
            }
            return LLM(base.path, **{**usual, **arguments, **ours}), adapter
    except UsageError:
        raise
    except Exception as exc:  # whatever vLLM raises
        raise UsageError(
            f"vLLM cannot serve {source.name!r}: {type(exc).__name__}: {one_line(exc)}",
            f"transformers may: --model {source.name}.",
        ) from exc


def _check(arguments: Mapping[str, Any], known: Collection[str]) -> None:
    for name in arguments:
        if name not in known:
            raise UsageError(f"vLLM has no argument {name!r}.", did_you_mean(name, known))


def _free_share() -> float:
    """The share of the device's memory that vLLM takes: nine tenths of what is free."""
    import psutil  # type: ignore[import-untyped]  # it has no types
    import torch

    if torch.cuda.is_available():
        free, whole = torch.cuda.mem_get_info()
    else:
        memory = psutil.virtual_memory()
        free, whole = memory.available, memory.total
    return round(0.9 * free / whole, 3)


def _rank(source: ModelSource) -> int:
    """The rank that vLLM has to be prepared for."""
    path = fetch(source.path, ADAPTER, source.revision)
    assert path is not None
    config = json.loads(path.read_text(encoding="utf-8"))
    largest = max([config["r"], *config.get("rank_pattern", {}).values()])
    return next((rank for rank in _RANKS if rank >= largest), largest)


def _sampling(repetition_penalty: float, place: int | None) -> Callable[[Answer], Any]:
    """vLLM's parameters of a turn; `place` is the token of an image, which would need one if it were sampled."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    return lambda answer: SamplingParams(
        max_tokens=answer.most,
        seed=answer.seed % 2**63,
        temperature=answer.temperature,
        top_p=answer.top_p,
        top_k=answer.top_k,
        min_p=answer.min_p,
        repetition_penalty=repetition_penalty,
        stop_token_ids=sorted(answer.ends),
        logit_bias=None if place is None else {place: -100.0},
        logprobs=0,
        detokenize=False,
        output_kind=RequestOutputKind.FINAL_ONLY,
    )
