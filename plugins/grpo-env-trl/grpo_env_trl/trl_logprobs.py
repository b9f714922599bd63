"""How far the log-probabilities of the sampler and of the trained model differ: TRL logs it with vLLM alone."""

from functools import wraps
from typing import Any

DIFFERENCE = "sampling/sampling_logp_difference"
"""TRL's name of the absolute difference over sampled tokens; it logs `/mean` and `/max`."""


def log_difference(trainer: Any) -> None:
    """Let a trainer whose batches have the sampler's log-probabilities log it too; it costs no forward pass.

    Every process must train on batches with them, as the figures are those of all processes.
    """
    scored, computed = trainer._get_per_token_logps_and_entropies, trainer._compute_loss
    if hasattr(computed, "__wrapped__"):  # this has been done
        return
    own: list[Any] = []

    @wraps(scored)
    def scores(*args: Any, **kwargs: Any) -> Any:
        found = scored(*args, **kwargs)
        own[:] = found[:1]
        return found

    @wraps(computed)
    def loss(model: Any, inputs: dict[str, Any]) -> Any:
        result = computed(model, inputs)
        old = inputs.get("old_per_token_logps")  # those of the weights that sampled, where a step came between
        _log(trainer, inputs, own[0].detach() if old is None else old)
        own.clear()
        return result

    trainer._get_per_token_logps_and_entropies, trainer._compute_loss = scores, loss


def _log(trainer: Any, inputs: dict[str, Any], trained: Any) -> None:
    import torch

    sampled = inputs["completion_mask"] * inputs.get("tool_mask", 1)
    apart = (trained - inputs["sampling_per_token_logps"]).abs()[sampled.bool()]
    mine = torch.stack([apart.sum(), torch.tensor(apart.numel()).to(apart), apart.max() if len(apart) else apart.sum()])
    every = trainer.accelerator.gather(mine[None])
    metrics = trainer._metrics["train" if trainer.model.training else "eval"]
    metrics[f"{DIFFERENCE}/mean"].append((every[:, 0].sum() / every[:, 1].sum().clamp(min=1)).item())
    metrics[f"{DIFFERENCE}/max"].append(every[:, 2].max().item())
