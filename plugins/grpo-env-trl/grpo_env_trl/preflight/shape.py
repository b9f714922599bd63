"""How large a model is, told by its config: nothing is loaded."""

import warnings
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.tracebacks import one_line
from grpo_env_trl.preflight.planned_training import PlannedTraining


@dataclass(frozen=True)
class Shape:
    """The numbers of a model that memory depends on."""

    parameters: int
    trained: int
    hidden: int
    layers: int
    vocabulary: int
    cached: int
    """Numbers that a layer keeps of a token while it generates."""


def shape_of(subject: PlannedTraining) -> Shape | None:
    """The shape of the model that is to be trained, or None where its config does not tell."""
    config = subject.config
    if config is None:
        return None
    text = config.get_text_config()
    try:
        model = _hollow(subject)
        heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
        width = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
        sizes = (text.hidden_size, text.num_hidden_layers, text.vocab_size, 2 * heads * width)
    except Exception:  # a model of a kind that is not foreseen here, or of a repository's own code
        return None
    whole = sum(weight.numel() for weight in model.parameters())
    return Shape(whole, _trained(subject, model), *sizes)


def _hollow(subject: PlannedTraining) -> Any:
    """The model without its numbers, unless it is loaded already and stays as it is."""
    import torch
    from transformers import AutoModelForCausalLM

    if subject.prepared.model is not None and not subject.prepared.model_args.use_peft:
        return subject.prepared.model
    with torch.device("meta"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return AutoModelForCausalLM.from_config(subject.config)  # type: ignore[no-untyped-call]  # of transformers


def _trained(subject: PlannedTraining, model: Any) -> int:
    """How many parameters learn; an adapter that fits nowhere in the model is refused."""
    import torch
    from trl import get_peft_config

    lora = get_peft_config(subject.prepared.model_args)
    if lora is not None:
        from peft import get_peft_model

        try:
            with torch.device("meta"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = get_peft_model(model, lora)
        except ValueError as exc:
            raise UsageError(
                f"The adapter fits nowhere in this model: {one_line(exc)}", "Take --lora-target-modules all-linear."
            ) from exc
    return sum(weight.numel() for weight in model.parameters() if weight.requires_grad)
