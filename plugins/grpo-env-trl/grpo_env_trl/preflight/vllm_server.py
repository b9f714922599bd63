"""Checks the vLLM servers that a training is to use: that they answer, serve this model, and can take its weights."""

import json
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk import GrpoEnvError
from grpo_env_sdk.ext import UsageError, error_text
from grpo_env_trl.models.source import base_of
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem
from grpo_env_trl.settings.servers import base_url
from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.setup.sent_adapter import sends_adapter
from grpo_env_trl.tokens.tokenizers import text_tokenizer
from grpo_env_trl.trl_async import adapters_held, server_rank
from grpo_env_trl.trl_facts import server_url
from grpo_env_trl.writers.vllm_servers import Served, look_at, posted
from grpo_env_trl.writers.vllm_wire import START

PROBE = "Hotel 12, née Zürich: {}\n"
"""A text that other tokenizers cut elsewhere; the end of a turn is added to it."""


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """Why these servers cannot be used."""
    setup = planned.setup
    if setup.gpus:
        served_model(setup)  # raises where there is none
    for url in _servers_to_ask(setup):
        try:
            served = look_at(url)
        except GrpoEnvError as exc:
            yield Problem(exc.message, exc.hint)
            continue
        setup.server_contexts[url] = served.context
        yield from _settings(url, served, setup)
        if planned.has_text_tokenizer:
            yield from _tokens(url, served, text_tokenizer(setup.tokenizer))


def _servers_to_ask(setup: TrainingSetup) -> tuple[str, ...]:
    """The servers that run already."""
    args = setup.args
    if setup.gpus or not args.use_vllm or args.vllm_mode != "server":
        return ()
    return setup.server_urls or (base_url(server_url(args)),)


def served_model(setup: TrainingSetup) -> list[str]:
    """The model that servers load, as words of their command; its weights are replaced before the first batch."""
    if setup.source is None:
        raise UsageError("--vllm-server-gpus needs a model that a server can load.", "Name one: --model M.")
    source = base_of(setup.source) if setup.source.adapter else setup.source
    return [str(source.path), *(["--revision", source.revision] if source.revision else [])]


def _settings(url: str, served: Served, setup: TrainingSetup) -> Iterator[Problem]:
    """What it was started without."""
    if served.settings is None:
        yield Problem(
            f"{url} takes no weights: its development endpoints are off.",
            "Start it with VLLM_SERVER_DEV_MODE=1 in its environment.",
        )
        return
    model, lora, parallel = (served.settings.get(f"{name}_config") or {} for name in ("model", "lora", "parallel"))
    mode = model.get("logprobs_mode")
    if lora and sends_adapter(setup) and parallel.get("data_parallel_size", 1) == 1:
        yield from _adapters(url, lora, setup)
    elif not served.settings.get("weight_transfer_config"):
        yield Problem(f"{url} takes no weights: it has no weight transfer.", f"Start it with {START}.")
    if setup.args.vllm_importance_sampling_correction and mode != "processed_logprobs":
        yield Problem(f"{url} gives log-probabilities before temperature ({mode}).", f"Start it with {START}.")


def _adapters(url: str, lora: dict[str, Any], setup: TrainingSetup) -> Iterator[Problem]:
    """Why it cannot take the adapter of each step."""
    rank, held = setup.model_args.lora_r, adapters_held(setup.async_args)
    if (most := lora.get("max_lora_rank", rank)) < rank:
        yield Problem(
            f"{url} takes adapters of rank {most} or less, and the rank to train is {rank}.",
            f"Start it with --max-lora-rank {server_rank(rank)}, or lower --lora-r.",
        )
    if (room := lora.get("max_loras", held)) < held:
        yield Problem(
            f"{url} holds {room} adapters, and a training with --max-staleness {held - 2} needs {held}.",
            f"Start it with --max-loras {held}.",
        )
    if posted(f"{url}/v1/load_lora_adapter", {})[0] == 404:
        yield Problem(
            f"{url} takes no adapters while it runs.",
            "Start it with VLLM_ALLOW_RUNTIME_LORA_UPDATING=True in its environment.",
        )


def _tokens(url: str, served: Served, tokenizer: Any) -> Iterator[Problem]:
    """Whether it cuts a text into the same tokens, and knows the last of them."""
    text = PROBE + (tokenizer.eos_token or "")
    ours = tokenizer(text, add_special_tokens=False)["input_ids"]
    status, answer = posted(f"{url}/tokenize", {"model": served.model, "prompt": text, "add_special_tokens": False})
    theirs = answer.get("tokens") if isinstance(answer, dict) else None
    if status == 200 and theirs != ours:
        yield Problem(
            f"{url} serves {served.model!r}, whose tokenizer is not that of the model to train.",
            "Start it with the model, or a checkpoint of it, that --model names.",
        )
        return
    last = {"model": served.model, "prompt": [max(tokenizer.get_vocab().values())], "max_tokens": 1}
    status, answer = posted(f"{url}/v1/completions", last)
    if status != 200:
        yield Problem(
            f"{url} refuses a token of the model to train: {error_text(json.dumps(answer))[:200]}",
            "Start it with the model, or a checkpoint of it, that --model names.",
        )
