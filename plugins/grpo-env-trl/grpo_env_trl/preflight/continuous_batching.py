"""Checks of `--use-transformers-continuous-batching`: what does not go with it."""

from collections.abc import Sequence

from grpo_env_trl import trl_batching
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem


def problems(planned: PlannedTraining) -> Sequence[Problem]:
    """Raises for settings that contradict it, or that it leaves out."""
    trl_batching.check(planned.setup.args)
    return ()
