"""How fast the episodes of an asynchronous training go on at the server that is to sample them."""

import copy
import queue
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from grpo_env_trl.asynchronous.async_kwargs import async_trainer_kwargs
from grpo_env_trl.asynchronous.worker import RolloutWorker
from grpo_env_trl.costs.estimate import Estimate
from grpo_env_trl.progress import Progress
from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.training.grpo_trainer import environments

SECONDS = 45.0
"""No further group is awaited once this much time was spent."""
PARTS = 3
"""So many times as many groups as play at once are measured, each of them once all that began together have ended."""
_SILENT = 30.0
"""Seconds in which the event loop has to answer."""


@dataclass(frozen=True)
class ServedPlaying:
    """What was measured with as many episodes at once as the training has."""

    url: str
    episodes: int
    seconds: Estimate
    """From one episode that ended to the next."""


def served_playing(
    setup: TrainingSetup, args: Any, url: str, processes: int, progress: Progress
) -> ServedPlaying | None:
    """Play groups at the server, which samples from the weights that it has; None where too few end in time.

    Args:
        args: The `AsyncGRPOConfig` of the training, which so many `processes` train.
    """
    asked = copy.copy(args)
    asked.vllm_server_base_url = url
    if asked.max_inflight_tasks < 0:  # as the trainer sets it
        of_step = asked.per_device_train_batch_size * asked.gradient_accumulation_steps * processes
        asked.max_inflight_tasks = max(asked.max_staleness, 1) * of_step
    settings = setup.settings
    with ExitStack() as opened:
        for env in setup.envs:
            opened.enter_context(env.loaded.held_open())
        worker: RolloutWorker = async_trainer_kwargs(
            environments(setup), setup.tokenizer, args=asked, limits=settings.limits,
            max_turn_tokens=setup.max_turn_tokens, rows=settings.rows, eval_rows=settings.eval_rows,
        )["rollout_worker"]  # fmt: skip
        opened.callback(worker.stop)
        worker.start()
        worker.begin()
        at_once = max(1, asked.max_inflight_tasks // asked.num_generations)
        ended = _ended(worker, at_once * (1 + PARTS), progress)
    parts = [
        (ended[place + at_once] - ended[place]) / (at_once * asked.num_generations)
        for place in range(at_once - 1, len(ended) - at_once, at_once)
    ]
    return ServedPlaying(url, (len(ended) - at_once) * asked.num_generations, Estimate.of(parts)) if parts else None


def _ended(worker: RolloutWorker, groups: int, progress: Progress) -> list[float]:
    """When each of the first groups ended, in seconds of a clock."""
    began, times, seen = time.monotonic(), list[float](), set[Any]()
    while len(times) < groups and time.monotonic() < began + SECONDS:
        worker.check_health(_SILENT)
        try:
            sample = worker.rollout_buffer.get(timeout=0.2)
        except queue.Empty:
            continue
        if sample.group_id not in seen:
            seen.add(sample.group_id)
            times.append(time.monotonic())
            progress("playing at the server", len(times), groups)
    return times
