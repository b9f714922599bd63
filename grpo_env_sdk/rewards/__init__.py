"""Rewards: `@reward` for your own, and ready-made ones to list in `rewards = [...]`."""

from typing import TYPE_CHECKING

from grpo_env_sdk.lazy_exports import lazy_exports
from grpo_env_sdk.rewards.reward import Reward, metric, reward  # not lazily: `reward` is a submodule too

if TYPE_CHECKING:
    from grpo_env_sdk.rewards.adaptive import AdaptiveWeight
    from grpo_env_sdk.rewards.answers import contains, exact_match, matches, math_accuracy, number_match
    from grpo_env_sdk.rewards.code import python_tests
    from grpo_env_sdk.rewards.debug import debug_reward
    from grpo_env_sdk.rewards.formats import json_fields, think_format, valid_tool_calls, xml_tags
    from grpo_env_sdk.rewards.inspect_scorers import from_inspect
    from grpo_env_sdk.rewards.lengths import length, soft_overlong
    from grpo_env_sdk.rewards.rubric import Rubric
    from grpo_env_sdk.rewards.trl_functions import from_trl
    from grpo_env_sdk.rewards.variety import diversity, repetition
    from grpo_env_sdk.rewards.verifiers_rubrics import from_verifiers

__all__ = [
    "AdaptiveWeight", "Reward", "Rubric", "contains", "debug_reward", "diversity", "exact_match", "from_inspect",
    "from_trl", "from_verifiers", "json_fields", "length", "matches", "math_accuracy", "metric", "number_match",
    "python_tests", "repetition", "reward", "soft_overlong", "think_format", "valid_tool_calls", "xml_tags",
]  # fmt: skip

if not TYPE_CHECKING:  # or every name would exist for type checkers
    __getattr__, __dir__ = lazy_exports(__name__, {
        "AdaptiveWeight": "adaptive", "Rubric": "rubric", "contains": "answers", "debug_reward": "debug",
        "diversity": "variety", "exact_match": "answers", "from_inspect": "inspect_scorers",
        "from_trl": "trl_functions", "from_verifiers": "verifiers_rubrics", "json_fields": "formats",
        "length": "lengths", "matches": "answers", "math_accuracy": "answers", "number_match": "answers",
        "python_tests": "code", "repetition": "variety", "soft_overlong": "lengths", "think_format": "formats",
        "valid_tool_calls": "formats", "xml_tags": "formats",
    })  # fmt: skip
