"""What a manifest keeps of a policy, so that a run is not resumed with another one of the same name."""

from contextlib import suppress
from functools import partial
from typing import Any

from grpo_env_sdk.envs.source_hash import definition_hash
from grpo_env_sdk.policies.given_policy import GivenPolicy, policy_of


def identity_of_object(policy: Any) -> dict[str, Any]:
    """What is kept of a policy that is an object or a function in Python."""
    given = _given(policy)
    name = policy.name if hasattr(policy, "name") else policy_of(policy).name
    ours = type(given).__module__.startswith("grpo_env_sdk.")
    return {
        "policy": name,
        "policy_object": True,
        "policy_source": None if ours else definition_hash(given, data=False),
    }


def version_of_policy(policy: Any) -> str | None:
    """The `version` that a policy declares, as a text: the same code with another checkpoint is another policy."""
    given = _given(policy)
    while isinstance(given, partial):
        given = given.func
    with suppress(Exception):  # of the author's property
        version = getattr(getattr(given, "__self__", given), "version", None)
        return None if version is None or callable(version) else f"{version}"
    return None


def _given(policy: Any) -> Any:
    return policy.given if isinstance(policy, GivenPolicy) else policy
