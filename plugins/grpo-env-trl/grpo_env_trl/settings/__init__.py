"""The settings of `grpo-env train`: from flags and config files to `TrainSettings`."""

from grpo_env_trl.settings.flags import common_help, full_help
from grpo_env_trl.settings.reading import read_settings, settings_from_arguments
from grpo_env_trl.settings.train_settings import TrainSettings, config_text, resolved

__all__ = [
    "TrainSettings",
    "common_help",
    "config_text",
    "full_help",
    "read_settings",
    "resolved",
    "settings_from_arguments",
]
