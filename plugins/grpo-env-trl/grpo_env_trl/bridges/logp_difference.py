"""Whether what sampled the turns and what is trained are the same model: how far their log-probabilities differ."""

import warnings
from typing import Any

from transformers import TrainerCallback

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_trl.trl_logprobs import DIFFERENCE

METRIC = f"{DIFFERENCE}/mean"
TOO_LARGE = 0.05


class LogpDifference(TrainerCallback):
    """Warns once where the difference is large."""

    def __init__(self) -> None:
        self._warned = False

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Look at what the trainer logs."""
        found = (logs or {}).get(METRIC, 0.0)
        if found > TOO_LARGE and not self._warned and state.is_world_process_zero:
            self._warned = True
            warnings.warn(
                f"The log-probabilities of the sampler and of the trained model differ by {found:.3f} on average (step "
                f"{state.global_step}), above {TOO_LARGE}: the model trains on turns that are not quite its own. "
                "Compare their dtype (--dtype, --bf16) and quantisation.",
                GrpoEnvWarning, stacklevel=2,
            )  # fmt: skip
