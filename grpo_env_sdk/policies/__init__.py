"""Policies, which answer in an episode: `gold`, `random`, `echo`, a script, a recorded run, or a model behind HTTP."""

from typing import TYPE_CHECKING

from grpo_env_sdk.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from grpo_env_sdk.policies.make import make_policy
    from grpo_env_sdk.policies.policy import NoRoomError, Policy, PolicyError, Request, Sampling, UnusablePolicyError
    from grpo_env_sdk.types import Turn

__all__ = ["NoRoomError", "Policy", "PolicyError", "Request", "Sampling", "Turn", "UnusablePolicyError", "make_policy"]

if not TYPE_CHECKING:  # or every name would exist for type checkers
    __getattr__, __dir__ = lazy_exports(__name__, {
        "NoRoomError": "policy", "Policy": "policy", "PolicyError": "policy", "Request": "policy", "Sampling": "policy",
        "Turn": "policy", "UnusablePolicyError": "policy", "make_policy": "make",
    })  # fmt: skip
