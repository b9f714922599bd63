"""All code that depends on TRL's internals; `tests/test_trl_facts.py` tests each fact that it relies on."""

import copy
import inspect
import logging
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def silence_known_warnings() -> None:
    """Silence TRL's warnings about `rollout_func`, which tests cover, and about failed rows, which are counted."""
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    logging.getLogger("trl.trainer.grpo_trainer").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("All reward functions returned None")


def supports_tools(tokenizer: Any) -> bool:
    """Whether its chat template renders tool calls and their results."""
    from trl.chat_template_utils import supports_tool_calling

    return bool(supports_tool_calling(tokenizer))


def training_template(tokenizer: Any) -> str | None:
    """TRL's prefix-preserving form of the tokenizer's chat template, or None."""
    from trl.chat_template_utils import get_training_chat_template

    try:
        found = get_training_chat_template(tokenizer)
    except ValueError:
        return None
    return found if isinstance(found, str) else None


def response_template_of(tokenizer: Any) -> dict[str, Any] | None:
    """How its answers are parsed: its own setting, else the one that TRL has for exactly this chat template."""
    from trl.chat_template_utils import add_response_schema

    own = getattr(tokenizer, "response_template", None)
    if own is not None:
        return own  # type: ignore[no-any-return]  # an attribute of whoever set it
    try:
        return add_response_schema(copy.copy(tokenizer)).response_template  # type: ignore[no-any-return]
    except ValueError:
        return None


def known_response_templates() -> list[dict[str, Any]]:
    """Every way to parse answers that TRL ships, for chat templates that it does not recognise."""
    from trl import chat_template_utils

    found = vars(chat_template_utils).items()
    return [value for name, value in found if name.endswith("_template") and isinstance(value, dict)]


REWARDS = "trl.rewards"
"""The package of TRL's own reward functions."""


def reward_functions() -> dict[str, Any]:
    """TRL's own reward functions by name, and the functions named `get_...` that make one; imports no torch."""
    from trl import rewards

    found = {name: getattr(rewards, name) for name in rewards.__all__}
    return {name: function for name, function in found.items() if callable(function)}


def reward_model(name: str) -> Any:
    """The reward model of a name, loaded as TRL loads it."""
    from transformers import AutoModelForSequenceClassification

    return AutoModelForSequenceClassification.from_pretrained(name, num_labels=1)


def generate(
    trainer: Any, contexts: Sequence[list[int]], most: int
) -> tuple[list[list[int]], list[list[float]] | None]:
    """At most `most` sampled tokens for each context, on whatever backend the trainer has; one collective call."""
    known: dict[str, Any] = {"images": None, "multimodal_fields": {}, "num_generations": 1}
    wanted = inspect.signature(trainer._generate_single_turn).parameters
    given = {name: value for name, value in known.items() if name in wanted}
    with _at_most(trainer, most):
        ids, logprobs = trainer._generate_single_turn(list(contexts), **given)
    return ids, logprobs


@contextmanager
def _at_most(trainer: Any, most: int) -> Iterator[None]:
    """TRL has no token limit per turn: change its limit per completion for one call.

    Its own call of continuous batching is left out: it casts the model's weights for good, and hides its errors.
    """
    held: list[tuple[Any, str, Any]] = [(trainer, "max_completion_length", most)]
    if getattr(trainer, "use_vllm", False):
        held = [(trainer.vllm_generation, "max_completion_length", most)]
    elif getattr(trainer, "generation_config", None) is not None:
        held = [(trainer.generation_config, "max_new_tokens", most)]
    if getattr(trainer, "use_transformers_continuous_batching", False):
        held.append((trainer, "use_transformers_continuous_batching", False))
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in held]
    try:
        for owner, name, value in held:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


def leave_out_nan(trainer: Any) -> None:
    """Let the trainer log no metric whose values are all NaN, as those of a column without a reward in a batch are."""
    for mode, kept in vars(trainer).get("_metrics", {}).items():
        if not isinstance(kept, _Numbers):
            trainer._metrics[mode] = _Numbers(list, kept)


class _Numbers(defaultdict[str, list[float]]):
    """Lists of metrics; where TRL averages them, those that are NaN are not there."""

    def items(self) -> Any:
        found = ((name, [value for value in values if value == value]) for name, values in super().items())
        return [(name, values) for name, values in found if values]


def skip_epochs(dataloader: Any, epochs: int) -> None:
    """Continue a dataloader in a later epoch: TRL's sampler shuffles for each epoch, starting with the first.

    With several processes accelerate's shard of the batches is around the batches of that sampler.
    """
    batches = dataloader.batch_sampler
    while not hasattr(batches, "sampler"):
        batches = batches.batch_sampler
    for _ in range(epochs):
        next(iter(batches.sampler), None)


def context_length(trainer: Any) -> int | None:
    """How many tokens the model reads at most, prompt and completion together."""
    if getattr(trainer, "use_vllm", False) and trainer.vllm_mode == "colocate":
        return int(trainer.vllm_generation.llm.llm_engine.model_config.max_model_len)
    config = trainer.model.config.get_text_config()
    limits = [getattr(config, "max_position_embeddings", None)]
    if samples_on_server(trainer):
        limits.append(trainer.vllm_generation.max_model_length)
    return min((int(limit) for limit in limits if limit), default=None)


@contextmanager
def generating_model(trainer: Any) -> Iterator[Any]:
    """The model as TRL calls its `generate` where several processes share it; every process must enter this."""
    from trl.models.utils import unwrap_model_for_generation

    wrapped, args = trainer.model_wrapped, trainer.args
    with (
        unwrap_model_for_generation(
            wrapped, trainer.accelerator, gather_deepspeed3_params=args.ds3_gather_for_generation,
            gradient_checkpointing_kwargs=args.gradient_checkpointing_kwargs,
        ) as model,
        trainer._dist.summon_full_params(wrapped, recurse=False),
    ):  # fmt: skip
        yield model


def samples_on_server(trainer: Any) -> bool:
    """Whether the trainer generates with a vLLM server."""
    return bool(getattr(trainer, "use_vllm", False)) and trainer.vllm_mode == "server"


def server_url(args: Any) -> str:
    """The address of the vLLM server in a `GRPOConfig`."""
    return args.vllm_server_base_url or f"http://{args.vllm_server_host}:{args.vllm_server_port}"


def server_patience(trainer: Any) -> float:
    """The seconds that TRL waits for a server to be there."""
    return float(trainer.vllm_generation.server_timeout)


def server_sampling(trainer: Any) -> dict[str, Any]:
    """The fields of a request to a vLLM server that say how the trainer samples; all, as a server has own defaults."""
    generation = trainer.vllm_generation
    names = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
    found = {name: getattr(generation, name) for name in names}
    regex = generation.structured_outputs_regex
    return {
        **found, "min_p": found["min_p"] or 0.0, "stop_token_ids": sorted(trainer.eos_token_ids),
        **({"structured_outputs": {"regex": regex}} if regex is not None else {}), **generation.generation_kwargs,
    }  # fmt: skip


def sync_with_servers(
    trainer: Any, urls: Sequence[str], check: Callable[[], list[int]], failed: Callable[[int], None]
) -> None:
    """Let TRL send weights to each of these servers; `check` gives the places of those that live before each time.

    `failed` is called where TRL raises meanwhile, with the place, and raises what says more.
    TRL has a client for one server: each other one gets a client with a port of its own, and a pass over the weights.
    """
    generation, accelerator = trainer.vllm_generation, trainer.accelerator
    clients = [generation.vllm_client] if accelerator.is_main_process else []
    for place, url in list(enumerate(urls))[1:] if clients else ():
        client = type(clients[0])(
            base_url=url, group_port=generation.group_port + place, connection_timeout=generation.server_timeout
        )
        client.init_communicator(device=accelerator.device)
        clients.append(client)
    accelerator.wait_for_everyone()
    once = generation.sync_weights

    def sync_weights() -> None:
        for place in check():
            if clients:
                generation.vllm_client = clients[place]
            try:
                once()
            except Exception:
                failed(place)
                raise

    generation.sync_weights = sync_weights
