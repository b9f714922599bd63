"""The live model for scorers: in eval mode, without gradients, and without an effect on training."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grpo_env_sdk.ext import EnvironmentFailedError, LoadedEnv, UsageError


@contextmanager
def lent(model: Any) -> Iterator[None]:
    """Prepare the model for scorers, and restore it afterwards, with torch's random state; weights must stay."""
    import torch

    was_training, used_cache = model.training, getattr(model.config, "use_cache", None)
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    before = _stamps(trained)
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    with torch.random.fork_rng(devices=devices):
        model.eval()
        model.config.use_cache = True
        try:
            yield
        finally:
            model.config.use_cache = used_cache
            model.train(was_training)
            for weight in trained:
                weight.requires_grad_(True)
        if _stamps(trained) != before:
            raise EnvironmentFailedError(
                "A scorer changed the weights of the model that it was lent.",
                "Work on a copy: copy.deepcopy(model). What was saved before is as it was.",
            )


def _stamps(weights: list[Any]) -> list[tuple[int, Any]]:
    """What changes where a weight is written in place or converted; torch counts the writes."""
    return [(weight._version, weight.dtype) for weight in weights]


class ShardedModel:
    """Stands in for a model whose forward pass needs every process, and raises when a scorer uses it."""

    def __getattr__(self, name: str) -> Any:
        raise EnvironmentFailedError(
            "The model is spread over processes (ZeRO-3, FSDP), so a scorer cannot run it by itself.",
            "Score without the model, or train with plain data parallelism.",
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As any other use."""
        return self.__getattr__("forward")


def sharded_for(loaded: LoadedEnv) -> ShardedModel:
    """What scorers get where a forward pass needs every process; an error if the environment says that they need it."""
    if loaded.traits.uses_model:
        raise UsageError(
            f"{loaded.spec.id} scores with the model (uses_model), which is spread over processes here.",
            "Train with plain data parallelism, or score without the model.",
        )
    return ShardedModel()
