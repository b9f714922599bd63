"""The refusal of a scorer that needs the live model where there is none."""

from grpo_env_sdk.errors import UsageError

WHERE_A_MODEL_IS = (
    "Evaluate a model in this process (--model FOLDER, HUB_ID or RUN), or train on it. "
    "uses_model = True on the class says before the first episode that it needs one."
)


class ModelNeededError(UsageError):
    """A scorer needs the live model, and there is none."""
