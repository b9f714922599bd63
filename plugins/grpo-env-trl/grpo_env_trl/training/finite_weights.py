"""Ends a training whose weights are no numbers any more, before a checkpoint keeps them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from grpo_env_sdk import GrpoEnvError
from grpo_env_trl import ranks
from grpo_env_trl.runs.run_folder import RunFolder

_LOOKED_AT = 4
"""Weights that are looked at after each step: clipping gives all of them the NaN of one gradient."""


class BrokenWeightsError(GrpoEnvError, RuntimeError):
    """A model whose weights are not finite: nothing can be sampled from it."""


class FiniteWeights(TrainerCallback):
    """Raises where the model that a training begins with, or a step has made, is not finite."""

    def __init__(self, run: Path) -> None:
        self._run = run

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
        """Look at all weights once."""
        if ranks.on_any(not all(map(_is_finite, _floats(model)))):
            raise self._broken(state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
        """Look at the smallest trained weights; transformers saves and logs later."""
        trained = [weight for weight in _floats(model) if weight.requires_grad]
        smallest = sorted(trained, key=lambda weight: weight.numel())[:_LOOKED_AT]
        if ranks.on_any(not all(map(_is_finite, smallest))):
            raise self._broken(state.global_step)

    @contextmanager
    def sampling_named(self, step: Any) -> Iterator[None]:
        """Say in one line where the weights are numbers, and what is computed with them is not."""
        try:
            yield
        except RuntimeError as exc:
            if "probability tensor contains" not in str(exc):
                raise
            raise self._broken(step()) from exc

    def _broken(self, step: int) -> BrokenWeightsError:
        if not step:
            return BrokenWeightsError(
                "The model gives NaN or infinity instead of probabilities: its weights are broken, or too large for "
                "their dtype.",
                "Download or save it again, or take another --dtype.",
            )
        kept, checkpoint = RunFolder(self._run).newest_whole()
        begin = f"from step {kept}: --model {checkpoint}" if checkpoint else "from the beginning:"
        return BrokenWeightsError(
            f"After step {step} the model gives NaN or infinity instead of probabilities: a step was too large for it.",
            f"Lower the learning rate in a new run {begin} --learning-rate F",
        )


def _floats(model: Any) -> list[Any]:
    """The weights that are floating-point numbers here: not quantized, not elsewhere, the own shard of each."""
    local = [getattr(weight, "_local_tensor", weight) for weight in model.parameters()]
    return [weight for weight in local if weight.is_floating_point() and weight.numel() and not weight.is_meta]


def _is_finite(weight: Any) -> bool:
    return bool(weight.detach().isfinite().all())
