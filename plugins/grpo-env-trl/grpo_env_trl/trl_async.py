"""All code that depends on the internals of TRL's asynchronous trainer; `tests/asynchronous` tries each fact."""

import time
from collections.abc import Sequence
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


def epochs_are_over(trainer: Any) -> bool:
    """Whether as many groups were trained as a training by epochs has; known to the first process alone."""
    groups = getattr(trainer, "_epoch_stop_groups", None)
    return groups is not None and trainer._groups_before_resume + len(trainer._trained_groups) >= groups


def sampling_of(args: Any, ends: Sequence[int]) -> dict[str, Any]:
    """The fields of a request to a vLLM server that say how the trainer samples; all, as a server has own defaults."""
    names = ("temperature", "top_p", "top_k", "repetition_penalty")
    found = {name: getattr(args, name) for name in names}
    return {**found, "min_p": args.min_p or 0.0, "stop_token_ids": sorted(ends)}
