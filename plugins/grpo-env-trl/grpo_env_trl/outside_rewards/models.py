"""The reward models among the rewards from outside: checked before a training, and opened for it."""

from typing import Any

from grpo_env_trl.models.loading import open_tokenizer
from grpo_env_trl.models.reward_model import find_reward_model, open_reward_model
from grpo_env_trl.outside_rewards.outside_reward import OutsideReward


def opened(reward: OutsideReward, *, trust_remote_code: bool) -> tuple[Any, Any]:
    """A reward as TRL takes it, and the tokenizer of a reward model."""
    if reward.kind == "function":
        return reward.thing, None
    model = reward.thing
    if isinstance(model, str):
        model = open_reward_model(model, trust_remote_code=trust_remote_code)
    return model, tokenizer_of(reward, trust_remote_code=trust_remote_code)


def tokenizer_of(reward: OutsideReward, *, trust_remote_code: bool) -> Any:
    """The tokenizer of a reward model, which is checked without loading its weights."""
    if isinstance(reward.thing, str):
        source = find_reward_model(reward.thing, trust_remote_code=trust_remote_code)
        return reward.tokenizer or open_tokenizer(source, trust_remote_code=trust_remote_code)
    return reward.tokenizer or open_tokenizer(reward.thing.config._name_or_path, trust_remote_code=trust_remote_code)
