"""How a model samples: the settings of a request over those of the model."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from grpo_env_sdk import Sampling
from grpo_env_sdk.ext import UnusablePolicyError, did_you_mean

TURN_TOKENS = 512
"""The token limit of a turn if neither a request nor a training has one."""
_EXTRA = ("top_k", "chat_template_kwargs")


@dataclass(frozen=True)
class SamplingParams:
    """The settings of one turn, by the names that a training's config has for them."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    repetition_penalty: float = 1.0
    max_turn_tokens: int | None = None
    max_completion_length: int | None = None
    """Tokens of a whole completion, turns and observations together."""
    chat_template_kwargs: Mapping[str, Any] | None = None
    min_p: float = 0.0

    def asked(self, sampling: Sampling) -> "SamplingParams":
        """These settings with those of a request; its `max_tokens` replaces every limit of the training."""
        unknown = next((name for name in sampling.extra if name not in _EXTRA), None)
        if unknown is not None:
            hint = did_you_mean(unknown, _EXTRA) or f"It takes {' and '.join(_EXTRA)}."
            raise UnusablePolicyError(f"A model in this process takes no {unknown!r} in --extra-body.", hint)
        said: dict[str, Any] = {"temperature": sampling.temperature, "top_p": sampling.top_p, **sampling.extra}
        if sampling.max_tokens is not None:
            said |= {"max_turn_tokens": sampling.max_tokens}
        changed = replace(self, **{name: value for name, value in said.items() if value is not None})
        return changed if sampling.max_tokens is None else replace(changed, max_completion_length=None)


def params_of_training(training: Mapping[str, Any]) -> SamplingParams:
    """The settings of the training in a run's manifest, so that a model is measured as it was trained."""
    names = [item.name for item in fields(SamplingParams)]
    return SamplingParams(**{name: training[name] for name in names if training.get(name) is not None})


def params_of_model(config: Any) -> SamplingParams:
    """The settings of a model's generation config, if it samples."""
    names = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
    said = {name: getattr(config, name, None) for name in names} if config.do_sample else {}
    return SamplingParams(
        max_turn_tokens=TURN_TOKENS, **{name: value for name, value in said.items() if value is not None}
    )
