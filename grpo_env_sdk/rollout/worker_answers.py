"""In a worker: what it tells of its environment, for a parent that does not import it."""

from collections.abc import Mapping, Sequence

from grpo_env_sdk.data.rows import Rows, Split
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.envs.shared_resource import opens_shared
from grpo_env_sdk.envs.state import EnvState, give_state, state_of
from grpo_env_sdk.errors import GrpoEnvError, UsageError
from grpo_env_sdk.rollout.encoding import Packet, encode
from grpo_env_sdk.rollout.sent_rows import sent_of

_ENOUGH = 4 << 20
"""After so many bytes an answer is sent; the rest of the rows comes in the next."""


def description_of(
    loaded: LoadedEnv, rows: Mapping[Split, Rows], notes: Sequence[str], reads: Sequence[str] = ()
) -> Packet:
    """What drivers, policies, evaluation and the pool may know of an environment; `reads` is for the pool."""
    described = loaded.description
    return encode({
        "traits": described.traits, "tools": described.tools, "score_rule": described.score_rule,
        "name": described.name, "source_hash": described.spec.source_hash, "tokenizer": loaded.tokenizer_name,
        "opens_shared": opens_shared(loaded.env), "user": _user_of(loaded), "notes": list(notes),
        "declared": {name: getattr(loaded.env, name) for name in reads if hasattr(loaded.env, name)},
        "splits_itself": loaded.splits_itself, "has_state": loaded.has_state,
        "splits": {split: sent_of(part) for split, part in rows.items()},
    })  # fmt: skip


def rows_of(splits: Mapping[Split, Rows], split: Split, indices: Sequence[int]) -> Packet:
    """Some rows of a split, in their order: at least one, and as many as one answer should have."""
    rows, some, size = splits[split], [], 0
    try:
        for index in indices:
            row = rows.row(index)
            packet = encode(row)
            some.append(row)
            size += len(packet.text) + sum(map(len, packet.blobs))
            if size > _ENOUGH:
                break
        return encode(some)
    except GrpoEnvError as exc:
        return encode({"failed": f"row {index}: {exc.message}", "hint": exc.hint})


def kept_state(loaded: LoadedEnv) -> Packet:
    """What a checkpoint keeps of the instance."""
    return encode(state_of(loaded))


def state_given(loaded: LoadedEnv, state: EnvState) -> Packet:
    """Give the instance what a checkpoint kept; there is nothing to tell of it."""
    give_state(loaded, state)
    return encode(None)


def _user_of(loaded: LoadedEnv) -> list[str | None] | None:
    """The policy that a `ModelUser` names and its server; None where no model speaks for the user."""
    if loaded.traits.user != "model":
        return None
    declared = loaded.env.user
    if declared.policy is not None and not isinstance(declared.policy, str):
        raise UsageError(
            "The user model of its class is an object, which cannot leave its process.",
            'Name it in the class: ModelUser("openai:NAME", ...).',
        )
    return [declared.policy, declared.base_url]
