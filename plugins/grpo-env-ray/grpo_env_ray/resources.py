"""What each worker asks of a node of the cluster: from the environment's class, and from the user, who comes first."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.ext import UsageError, did_you_mean

OPTIONS = ("num_cpus", "num_gpus", "memory", "accelerator_type")
"""What Ray has a name of its own for; anything else is a custom resource."""
_IN_A_NODE = {"num_cpus": "CPU", "num_gpus": "GPU", "memory": "memory"}
_EXAMPLE = """Like {"num_cpus": 2, "license": 1}."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the cluster: its address, and its resources by the names that Ray gives them."""

    address: str
    resources: Mapping[str, float]


def asked_of_a_node(declared: Any, named: str | None, env: str) -> dict[str, Any]:
    """The resources of one worker: one CPU, with what the class declares, with what the user names."""
    found: dict[str, Any] = {"num_cpus": 1}
    if declared is not None:
        found |= _checked(declared, f"ray_resources of {env}")
    if named is not None:
        found |= _checked(_parsed(named), "--ray-resources")
    return found


def actor_options(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The same as Ray's options of an actor."""
    custom = {name: amount for name, amount in asked.items() if name not in OPTIONS}
    return {**{name: asked[name] for name in OPTIONS if name in asked}, "resources": custom}


def fits_in(asked: Mapping[str, Any], node: Node) -> int | None:
    """How many workers fit into an empty node; None is any number, as they ask for nothing."""
    counts = [
        math.floor(node.resources.get(name, 0.0) / amount + 1e-9)
        for name, amount in _by_node_names(asked).items()
        if amount > 0
    ]
    return min(counts, default=None)


def refusal(asked: Mapping[str, Any], nodes: Sequence[Node], env: str) -> UsageError:
    """The error where no node has what a worker asks for."""
    has = "; ".join(f"{node.address}: {_shown(node.resources)}" for node in nodes[:8])
    more = f"; and {len(nodes) - 8} more" if nodes[8:] else ""
    wanted = _by_node_names(asked)
    known = sorted({name for node in nodes for name in node.resources})
    unknown = [name for name in wanted if name not in known]
    meant = did_you_mean(unknown[0], known) if unknown else ""
    return UsageError(
        f"A worker of {env} asks for {_shown(wanted)}, which no node of the cluster has ({has}{more}).",
        f"{meant} Ask for less with --ray-resources, or start a node that has it.".strip(),
    )


def _shown(resources: Mapping[str, float]) -> str:
    """`2 CPU, 1 license`: without what Ray adds for itself."""
    told = {
        name: amount / 1e9 if name == "memory" else amount
        for name, amount in resources.items()
        if not name.startswith("node:") and name != "object_store_memory"
    }
    return ", ".join(f"{amount:.4g} {'GB of memory' if name == 'memory' else name}" for name, amount in told.items())


def _by_node_names(asked: Mapping[str, Any]) -> dict[str, float]:
    """What is asked by the names that nodes have for it."""
    found = {_IN_A_NODE.get(name, name): amount for name, amount in asked.items() if name != "accelerator_type"}
    if kind := asked.get("accelerator_type"):
        found[f"accelerator_type:{kind}"] = 0.001
    return found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as exc:
        raise UsageError(f"--ray-resources is no JSON: {text!r:.80}.", _EXAMPLE) from exc


def _checked(given: Any, where: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise UsageError(f"{where} must be an object of names with amounts, got {given!r:.80}.", _EXAMPLE)
    for name, amount in given.items():
        if name == "accelerator_type" and isinstance(amount, str):
            continue
        if not isinstance(name, str) or not _is_amount(amount):
            raise UsageError(f"{where}: {name!r:.80} is {amount!r:.80}, which is no amount from 0.", _EXAMPLE)
        if name in _IN_A_NODE.values() and name != "memory":
            raise UsageError(f"{where}: Ray's name of {name!r} is num_{name.lower()}s.", _EXAMPLE)
    return dict(given)


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
