"""Rewards: `@reward` for your own, and ready ones to list in `rewards = [...]`."""

from grpo_env_sdk.rewards.adaptive import AdaptiveWeight
from grpo_env_sdk.rewards.answers import contains, exact_match, matches, number_match
from grpo_env_sdk.rewards.debug import debug_reward
from grpo_env_sdk.rewards.formats import json_fields, think_format, xml_tags
from grpo_env_sdk.rewards.lengths import length, soft_overlong
from grpo_env_sdk.rewards.maths import math_accuracy
from grpo_env_sdk.rewards.reward import Reward, metric, reward
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.rewards.toolcalls import valid_tool_calls

__all__ = [
    "AdaptiveWeight", "Reward", "Rubric", "contains", "debug_reward", "exact_match", "json_fields", "length",
    "matches", "math_accuracy", "metric", "number_match", "reward", "soft_overlong", "think_format", "valid_tool_calls",
    "xml_tags",
]  # fmt: skip
