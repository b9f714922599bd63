"""Who answers in an episode: `gold`, `random`, `echo`, a script, a recorded run, or a model behind HTTP."""

from grpo_env_sdk.policies.make import make_policy
from grpo_env_sdk.policies.policy import NoRoomError, Policy, PolicyError, Request, Sampling, UnusablePolicyError
from grpo_env_sdk.types import Turn

__all__ = ["NoRoomError", "Policy", "PolicyError", "Request", "Sampling", "Turn", "UnusablePolicyError", "make_policy"]
