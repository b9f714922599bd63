"""All code that depends on the internals of TRL's asynchronous trainer; `tests/asynchronous` tries each fact."""

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from grpo_env_trl.trl_facts import silence_known_warnings


def async_config_class() -> Any:
    """The arguments of TRL's asynchronous trainer; None where this TRL has none."""
    silence_known_warnings()
    try:
        from trl.experimental.async_grpo import AsyncGRPOConfig
    except ImportError:
        return None
    return AsyncGRPOConfig


ADAPTER = "trl-policy-v"
"""How the names begin under which the trainer loads its adapter into a server; the version of the weights follows."""


def rollout_sample(
    input_ids: Sequence[int], completion_mask: Sequence[int], old_log_probs: Sequence[float], **known: Any
) -> Any:
    """One sequence to train on."""
    import numpy as np
    from trl.experimental.async_grpo.async_rollout_worker import RolloutSample

    return RolloutSample(
        input_ids=np.asarray(input_ids, dtype=np.int64),
        completion_mask=np.asarray(completion_mask, dtype=np.int64),
        old_log_probs=np.asarray(old_log_probs, dtype=np.float32),
        enqueued_at=time.time(),
        **known,
    )


def trained_groups(dataloader: Any) -> set[int] | None:
    """The groups that the trainer has trained on, which may be added to; None in other processes than the first."""
    return getattr(dataloader.collate_fn, "groups_trained", None)


def send_newest(trainer: Any) -> None:
    """Send the server the weights of now, unless it got them after the last step; every process must call this."""
    if trainer.state.global_step % trainer.args.weight_sync_steps:
        trainer._sync_weight()


def sends_adapters(trainer: Any) -> bool:
    """Whether the server gets the adapter alone, as files that it reads, and no weights."""
    return bool(getattr(trainer, "_lora_sync", False))


ASKS = {
    "init_weight_transfer": "to join the transfer of weights", "pause": "to pause", "send_weights": "to take weights",
    "resume": "to go on after new weights", "load_lora_adapter": "to load the adapter",
    "unload_lora_adapter": "to unload an earlier adapter",
}  # fmt: skip
"""What a call of the transfer asks a server."""
_CALL = 1800.0
"""Seconds that TRL waits for a call about an adapter."""


def longest_wait(transfer: Any, name: str) -> float:
    """The seconds after which TRL gives up a call of the transfer."""
    limit = "_CONTROL_TIMEOUT" if name in ("pause", "resume") else "weight_sync_timeout"
    return float(getattr(transfer, limit, _CALL))


@contextmanager
def adapter_files(trainer: Any) -> Iterator[None]:
    """Remove the files of the adapters that the server was told to read; of use to nobody once this has ended."""
    try:
        yield
    finally:
        if sends_adapters(trainer) and trainer.accelerator.is_main_process:
            shutil.rmtree(trainer._lora_dir, ignore_errors=True)


def server_rank(rank: int) -> int | None:
    """The least rank that a server may be started for and that takes an adapter of this rank; None above vLLM's."""
    from trl.experimental.async_grpo.async_grpo_trainer import round_lora_rank

    try:
        return int(round_lora_rank(rank))
    except ValueError:
        return None


def adapters_held(args: Any) -> int:
    """How many versions of an adapter a server holds at once: those of turns that go on, and the next one."""
    return int(args.max_staleness) + 2


def epochs_are_over(trainer: Any) -> bool:
    """Whether as many groups were trained as a training by epochs has; known to the first process alone."""
    groups = getattr(trainer, "_epoch_stop_groups", None)
    return groups is not None and trainer._groups_before_resume + len(trainer._trained_groups) >= groups


def sampling_of(args: Any, ends: Sequence[int]) -> dict[str, Any]:
    """The fields of a request to a vLLM server that say how the trainer samples; all, as a server has own defaults."""
    names = ("temperature", "top_p", "top_k", "repetition_penalty")
    found = {name: getattr(args, name) for name in names}
    return {**found, "min_p": args.min_p or 0.0, "stop_token_ids": sorted(ends)}
