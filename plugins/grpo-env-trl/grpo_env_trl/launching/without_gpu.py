"""Processes that a launcher such as torchrun started on a machine without a GPU: they train together on the CPU."""

import os
import warnings
from collections.abc import Callable

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_trl import ranks
from grpo_env_trl.launching.attached import is_attached
from grpo_env_trl.launching.starting import ON_CPU, gpu_count
from grpo_env_trl.settings.train_settings import TrainSettings


def train_together_on_cpu(settings: TrainSettings, gpu_count: Callable[[], int] = gpu_count) -> None:
    """Choose the CPU for processes of a launcher that find no GPU, which would each train on its own otherwise."""
    by_accelerate = any(name.startswith("ACCELERATE_") for name in os.environ)
    chosen = "use_cpu" in settings.grpo or settings.is_on_cpu or by_accelerate
    if ranks.started_together() == 1 or is_attached() or chosen or gpu_count():
        return
    os.environ.update(ON_CPU)
    if ranks.is_first():
        text = "There is no GPU here, so the processes train together on the CPU, as with --use-cpu."
        warnings.warn(text, GrpoEnvWarning, stacklevel=2)
