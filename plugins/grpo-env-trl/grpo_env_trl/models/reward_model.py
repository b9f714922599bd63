"""Reward models: sequence classifiers with one output, by hub id or folder."""

from typing import Any

from grpo_env_sdk.ext import UsageError, one_line
from grpo_env_trl.models.loading import check_whole, config_of, from_where
from grpo_env_trl.models.source import ModelSource, find_model


def find_reward_model(name: str, *, trust_remote_code: bool = False) -> ModelSource:
    """Where a reward model is, without loading it; raises for a model that would score by an untrained head."""
    source = find_model(name)
    if source.adapter:
        raise UsageError(f"The reward model {name!r} is an adapter.", "Merge it into its base model first.")
    config = config_of(source, trust_remote_code=trust_remote_code)
    made_for = (getattr(config, "architectures", None) or [type(config).__name__])[0]
    if not made_for.endswith("ForSequenceClassification") or config.num_labels != 1:
        what = f"has {config.num_labels} labels" if made_for.endswith("Classification") else "has no trained score"
        raise UsageError(
            f"The reward model {name!r} is a {made_for}, which {what}.",
            "A reward model is saved by AutoModelForSequenceClassification with num_labels=1.",
        )
    return source


def open_reward_model(name: str, *, trust_remote_code: bool = False) -> Any:
    """The reward model, in eval mode."""
    from transformers import AutoModelForSequenceClassification

    source = find_reward_model(name, trust_remote_code=trust_remote_code)
    try:
        model, info = AutoModelForSequenceClassification.from_pretrained(
            source.path, num_labels=1, trust_remote_code=trust_remote_code, output_loading_info=True,
            **from_where(source),
        )  # fmt: skip
    except Exception as exc:  # of transformers, safetensors, or a repository's own code
        raise UsageError(
            f"The reward model {name!r} cannot be loaded: {one_line(exc).rstrip('.')}.",
            "Was a download or a copy interrupted? Then download it again.",
        ) from exc
    check_whole(source, info)
    return model
