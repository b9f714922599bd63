"""The size of a model, computed from its config without loading it."""

import warnings
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.ext import UsageError, one_line
from grpo_env_trl.models.loading import model_class


@dataclass(frozen=True)
class Shape:
    """The dimensions of a model that determine its memory."""

    parameters: int
    trained: int
    hidden: int
    layers: int
    vocabulary: int
    cached: int
    """Values per token and layer in the KV cache."""


def shape_of(config: Any, loaded: Any, model_args: Any) -> Shape | None:
    """The shape of the model to train, which may be loaded already, or None where its config does not say."""
    if config is None:
        return None
    text = config.get_text_config()
    try:
        model = _meta_model(config, loaded, model_args)
        heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
        width = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
        sizes = (text.hidden_size, text.num_hidden_layers, text.vocab_size, 2 * heads * width)
    except Exception:  # an unknown kind of model, or code of a repository
        return None
    whole = sum(weight.numel() for weight in model.parameters())
    return Shape(whole, _trained(model, model_args), *sizes)


def _meta_model(config: Any, loaded: Any, model_args: Any) -> Any:
    """The model on the meta device, or the loaded model where no adapter is added."""
    import torch

    if loaded is not None and not model_args.use_peft:
        return loaded
    with torch.device("meta"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model_class(config).from_config(config)


def _trained(model: Any, model_args: Any) -> int:
    """How many parameters are trained; raises for an adapter that matches no layer."""
    import torch
    from trl import get_peft_config

    lora = get_peft_config(model_args)
    if lora is not None:
        from peft import get_peft_model

        try:
            with torch.device("meta"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = get_peft_model(model, lora)
        except ValueError as exc:
            raise UsageError(
                f"The adapter matches no layer of this model: {one_line(exc)}", "Use --lora-target-modules all-linear."
            ) from exc
    return sum(weight.numel() for weight in model.parameters() if weight.requires_grad)
