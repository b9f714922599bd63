"""What a manifest keeps of a policy, so that a run is not resumed with another one of the same name."""

import dis
import hashlib
import inspect
from collections.abc import Iterator
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
        "policy_values": _digest(sorted(_held_by(given))),
        **version_of_policy(policy),
    }


def version_of_policy(policy: Any) -> dict[str, Any]:
    """The `version` that a policy declares, or None: the same code with another checkpoint is another policy."""
    given = _given(policy)
    version = getattr(getattr(given, "__self__", given), "version", None)
    return {"policy_version": version if isinstance(version, str | int | float) else None}


def _given(policy: Any) -> Any:
    return policy.given if isinstance(policy, GivenPolicy) else policy


def _held_by(given: Any) -> Iterator[tuple[str, str]]:
    """The plain values that a function has as its arguments, as defaults and from the function around it."""
    if isinstance(given, partial):
        yield from _held_by(given.func)
        yield from _plain({**dict(enumerate(given.args)), **given.keywords})
        return
    function = getattr(given, "__func__", given)
    if not inspect.isfunction(function):
        return
    yield from _plain({one.name: one.default for one in inspect.signature(function).parameters.values()})
    counted = {one.argval for one in dis.get_instructions(function) if one.opname == "STORE_DEREF"}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # it has no value yet
            yield from _plain({} if name in counted else {name: cell.cell_contents})


def _plain(values: dict[Any, Any]) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, str | int | float | None):
            yield str(name), repr(value)


def _digest(values: list[tuple[str, str]]) -> str:
    """A hash, as a value may be a secret."""
    return hashlib.blake2b(repr(values).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
