"""What another process needs to load an environment again, as JSON; and what cannot be loaded there."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from grpo_env_sdk.data.rows import Rows, Split
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.envs.tokenizer import TokenizerOf, name_of_tokenizer
from grpo_env_sdk.errors import ContractError, UsageError
from grpo_env_sdk.isolation.calls.imports import import_object
from grpo_env_sdk.isolation.calls.tracebacks import name_of
from grpo_env_sdk.registry.pools import check_kind
from grpo_env_sdk.rollout.encoding import Packet, decode, encode
from grpo_env_sdk.rollout.worker_source import source_for
from grpo_env_sdk.types import EnvSpec

_THREAD = 'Leave --env-pool out (env_pool="thread"): threads of this process take it.'


def check_pool(loaded: LoadedEnv) -> None:
    """Raise where its pool cannot run it: it cannot be loaded in another process, or bubblewrap or Ray is missing."""
    check_kind(loaded.pool)
    if loaded.pool.kind != "thread":
        source_for(loaded, order_for(loaded))


def order_for(loaded: LoadedEnv, scorer_tokenizer: Any = None) -> dict[str, Any]:
    """How to load it again; a `UsageError` in one line where only this process can.

    `scorer_tokenizer` is what scorers are given in place of the tokenizer that built the rows.
    """
    name, kind = loaded.spec.id, loaded.pool.kind
    if loaded.traits.uses_model:
        raise UsageError(f"{name} scores with the live model (uses_model), which is in this process alone.", _THREAD)
    scorers = _whole_path(name_of_tokenizer(scorer_tokenizer), kind) if loaded.tokenizer_name else None
    if (kept := getattr(loaded, "order", None)) is not None:
        return {**kept, "scorer_tokenizer": scorers}
    origin = loaded.origin
    if origin is None:
        raise UsageError(f"{name} is an instance of this process, which --env-pool {kind} cannot hand over.", _THREAD)
    spec = replace(loaded.spec, entry_point=path_of(origin.made_by, loaded.spec.entry_point, name, kind))
    return {
        **order_of_spec(spec, kind, [loaded.split], _tokenizer_of(loaded)),
        "rewards": [importable(item, name, kind) for item in origin.rewards],
        "scorer_tokenizer": scorers,
    }  # fmt: skip


def order_of_spec(
    spec: EnvSpec, kind: str, splits: Sequence[Split], tokenizer: str | TokenizerOf | None
) -> dict[str, Any]:
    """How to load an environment that this process has not imported, and build these rows."""
    try:
        packet = encode(spec.config)
    except ContractError as exc:
        raise UsageError(f"The config of {spec.id} cannot be sent to another process: {exc.message}", _THREAD) from exc
    if packet.blobs:
        raise UsageError(
            f"The config of {spec.id} has images or arrays, which --env-pool {kind} does not take.", _THREAD
        )
    optional, named = (
        (tokenizer.optional, tokenizer.model) if isinstance(tokenizer, TokenizerOf) else (False, tokenizer)
    )
    return {
        "whose": spec.id, "spec": {**spec.as_json(), "config": {}}, "config": packet.text, "splits": list(splits),
        "rewards": [], "tokenizer": _whole_path(named, kind),
        "tokenizer_optional": optional, "scorer_tokenizer": None,
    }  # fmt: skip


def loaded_from(order: Mapping[str, Any]) -> tuple[LoadedEnv, dict[Split, Rows]]:
    """In the other process: the environment of an order, with its rows built, as they may change the instance."""
    spec = EnvSpec.from_json(order["spec"])
    config = decode(Packet(order["config"], []))
    rewards = [import_object(path, "a reward") for path in order["rewards"]]
    named = order["tokenizer"] and TokenizerOf(order["tokenizer"], order["tokenizer_optional"])
    loaded = load(spec.with_config(config), rewards=rewards, tokenizer=named)
    return loaded, {split: loaded.rows(split) for split in order["splits"]}


def path_of(made_by: Any, entry_point: str, name: str, kind: str) -> str:
    """`module:Class` of what creates the environment `name`; an error where another process cannot import it."""
    path = f"{made_by.__module__}:{made_by.__qualname__}" if isinstance(made_by, type) else entry_point
    where = sys.modules.get(path.partition(":")[0])
    if path.startswith("__main__:") or "<locals>" in path:
        what = "a script or notebook" if path.startswith("__main__:") else "a function"
        whose = name_of(made_by) if isinstance(made_by, type) else name
        raise UsageError(
            f"{whose} is defined in {what}, and --env-pool {kind} has to import it.",
            "Put it into a module of its own, or leave --env-pool out.",
        )
    if where is not None and isinstance(made_by, type) and _found(path) is not made_by:
        raise UsageError(f"{path} is another object than the class of {name}.", _THREAD)
    return path


def importable(reward: Any, env: str, kind: str) -> str:
    """`module:name` of a reward function; a closure or a configured object has none."""
    path = f"{getattr(reward, '__module__', '')}:{getattr(reward, '__qualname__', '')}"
    if path.startswith("__main__:") or "<locals>" in path or _found(path) is not reward:
        name = getattr(reward, "__name__", None) or getattr(reward, "name", None) or f"{reward!r:.60}"
        raise UsageError(
            f"The reward {name} that was added to {env} is no function of a module, so --env-pool {kind} "
            "cannot import it.", "Write it as a plain function in a module, or leave --env-pool out.",
        )  # fmt: skip
    return path


def _found(path: str) -> Any:
    module, _, names = path.partition(":")
    found: Any = sys.modules.get(module)
    for name in names.split(".") if names else ():
        found = getattr(found, name, None)
    return found


def _whole_path(tokenizer: str | None, kind: str) -> str | None:
    """The name of a tokenizer; a folder by its whole path in a sandbox, which has another working directory."""
    is_folder = kind == "sandbox" and tokenizer is not None and os.path.isdir(tokenizer)
    return os.path.abspath(tokenizer) if is_folder and tokenizer else tokenizer


def _tokenizer_of(loaded: LoadedEnv) -> str | None:
    """The name of the tokenizer that rows and scores read, if any do."""
    if isinstance(loaded.tokenizer, str):
        return loaded.tokenizer
    if isinstance(loaded.tokenizer, TokenizerOf):
        return loaded.tokenizer.model if loaded.tokenizer_name else None
    return name_of_tokenizer(loaded.tokenizer) if loaded.tokenizer_name else None
