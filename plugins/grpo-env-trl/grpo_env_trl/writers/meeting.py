"""The end of a batch with several processes: all hear whether the episodes of one failed, so that none waits on."""

from concurrent.futures import Future
from typing import Any

from grpo_env_sdk.ext import EnvironmentFailedError
from grpo_env_trl import ranks
from grpo_env_trl.writers.figures import Figures


def has_failed(episodes: "Future[Any]") -> bool:
    """Whether the episodes that are over were cancelled, or raised."""
    return episodes.cancelled() or episodes.exception() is not None


def failed_elsewhere() -> EnvironmentFailedError:
    """The error of a process whose own episodes are well."""
    return EnvironmentFailedError("The episodes of another process failed.", "Its own message says why.")


def meet(trainer: Any, figures: Figures, failed: bool) -> None:
    """Wait for the other processes; an error where the episodes of one failed, and those of this one did not."""
    with figures.timed("ranks"):
        any_failed = ranks.largest_over_ranks(trainer, int(failed))
    if any_failed and not failed:
        raise failed_elsewhere()
