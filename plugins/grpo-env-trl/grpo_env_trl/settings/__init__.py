"""The settings of `grpo-env train`: every field of TRL's configs as flags, a file and another trainer's dialect."""

from grpo_env_trl.settings.flags import common_help, full_help
from grpo_env_trl.settings.reading import read_settings
from grpo_env_trl.settings.resolving import config_text, resolved
from grpo_env_trl.settings.train_settings import TrainSettings

__all__ = ["TrainSettings", "common_help", "config_text", "full_help", "read_settings", "resolved"]
