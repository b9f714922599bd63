"""The live model, as scorers may have it: in eval mode, without gradients, and leaving no trace in training."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grpo_env_sdk.ext import EnvironmentFailedError


@contextmanager
def lent(model: Any) -> Iterator[None]:
    """Make the model ready for scorers, and afterwards as it was, torch's random state included."""
    import torch

    was_training, used_cache = model.training, getattr(model.config, "use_cache", None)
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    with torch.random.fork_rng(devices=devices):
        model.eval()
        model.config.use_cache = True
        try:
            yield
        finally:
            model.config.use_cache = used_cache
            model.train(was_training)


class ShardedModel:
    """Stands in for a model whose forward pass needs every process, and says so when a scorer touches it."""

    def __getattr__(self, name: str) -> Any:
        raise EnvironmentFailedError(
            "The model is spread over processes (ZeRO-3, FSDP), so a scorer cannot run it by itself.",
            "Score without the model, or train with plain data parallelism.",
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As any other use."""
        return self.__getattr__("forward")
