"""Pushes a trained model to the hub."""

from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import UsageError, one_line


def push_to_hub(model: Path, trainer: Any) -> None:
    """Push the folder of a model; an error there does not change what is on disk."""
    from huggingface_hub import HfApi

    args, name = trainer.args, trainer.hub_model_id
    try:
        HfApi().upload_folder(
            repo_id=name, folder_path=model, token=args.hub_token, revision=args.hub_revision,
            commit_message="End of training",
        )  # fmt: skip
    except Exception as exc:  # of the hub's client
        raise UsageError(
            f"The model is trained and saved, but could not be pushed to the hub: {one_line(exc).rstrip('.')}.",
            f"Upload it yourself: hf upload {name} {model}",
        ) from exc
