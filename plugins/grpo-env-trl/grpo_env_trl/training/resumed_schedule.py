"""The learning rate of the first step after a checkpoint."""

import math
from collections.abc import Callable
from typing import Any

from transformers import TrainerCallback


class ResumedSchedule(TrainerCallback):
    """Begins a resumed training with the learning rate that its schedule has for that step.

    A checkpoint keeps the rate of the schedule that it was written under: with another number of steps it is another
    one, and 0 where a linear schedule had come to its end.
    """

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Compute the learning rates anew; for the same number of steps they are the same."""
        given = kwargs.get("lr_scheduler")
        schedule: Any = getattr(given, "scheduler", given)
        shares = getattr(schedule, "lr_lambdas", None)
        if not state.global_step or not shares:
            return
        rates = [base * share(schedule.last_epoch) for base, share in zip(schedule.base_lrs, shares, strict=True)]
        before = schedule.optimizer.param_groups[0]["lr"]
        if not math.isclose(before, rates[0], rel_tol=1e-6):
            self._note(
                f"The learning rate goes on at {rates[0]:.3g}, and not at {before:.3g}: "
                f"its schedule is now one of {state.max_steps} steps."
            )
        schedule._last_lr = rates
        for group, rate in zip(schedule.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
