"""Which writer samples the turns of a batch: it follows from what the trainer generates with."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from grpo_env_trl import trl_batching, trl_facts, trl_vllm
from grpo_env_trl.trl_logprobs import log_difference
from grpo_env_trl.writers.continuous import ContinuousWriter
from grpo_env_trl.writers.lockstep import LockstepWriter
from grpo_env_trl.writers.transformers_engine import batching_of
from grpo_env_trl.writers.vllm_engine import vllm_of
from grpo_env_trl.writers.vllm_server import ServerWriter
from grpo_env_trl.writers.vllm_servers import servers_of
from grpo_env_trl.writers.writer import Writer


def writer_for(
    trainer: Any,
    loop: asyncio.AbstractEventLoop,
    filler: list[int],
    max_turn_tokens: int | None,
    lend: Callable[[], AbstractContextManager[Any]],
) -> Writer:
    """The writer of one batch, whose episodes live in `loop`; `lend` is entered while scorers may use the model."""
    if trl_vllm.samples_alone(trainer):
        return ContinuousWriter(trainer, partial(vllm_of, trainer), max_turn_tokens, lend)
    if trl_batching.samples_alone(trainer):
        log_difference(trainer)
        return ContinuousWriter(trainer, partial(batching_of, trainer), max_turn_tokens, lend)
    if trl_facts.samples_on_server(trainer):
        return ServerWriter(trainer, loop, servers_of(trainer), max_turn_tokens, lend)
    return LockstepWriter(trainer, loop, filler, max_turn_tokens, lend)
