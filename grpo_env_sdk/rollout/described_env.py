"""An environment that only worker processes import: all that this process has of it is data."""

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grpo_env_sdk.data.rows import Rows, Split
from grpo_env_sdk.envs.config import check_config_type
from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.loading import LoadedEnv, load
from grpo_env_sdk.envs.model_user import ModelUser
from grpo_env_sdk.envs.tokenizer import TokenizerOf
from grpo_env_sdk.envs.traits import Traits
from grpo_env_sdk.errors import DatasetError, EnvironmentFailedError, GrpoEnvWarning, UsageError
from grpo_env_sdk.isolation.async_calls import run_coroutine
from grpo_env_sdk.isolation.env_pool import POOLS, EnvPool
from grpo_env_sdk.isolation.fork_server import ForkServer
from grpo_env_sdk.isolation.import_folders import leave_working_folder
from grpo_env_sdk.registry.lookup import spec
from grpo_env_sdk.registry.pools import check_kind, plugin_pools
from grpo_env_sdk.rewards.score_rule import ScoreRule
from grpo_env_sdk.rollout.encoding import decode, encode
from grpo_env_sdk.rollout.event_types import fits
from grpo_env_sdk.rollout.process_frames import Frame, Kind
from grpo_env_sdk.rollout.process_order import order_of_spec
from grpo_env_sdk.rollout.process_talk import Worker, WorkerEndedError, WorkerLateError
from grpo_env_sdk.rollout.told_sense import nonsense_in
from grpo_env_sdk.types import EnvSpec, Row

_TOLD: dict[str, Any] = {
    "traits": Traits, "tools": list[dict[str, Any]], "score_rule": ScoreRule, "name": str, "source_hash": str | None,
    "tokenizer": str | None, "opens_shared": bool, "user": tuple[str | None, str | None] | None, "notes": list[str],
    "declared": dict[str, Any], "columns": list[str], "indices": list[int], "offset": int, "total": int,
}  # fmt: skip
"""What a worker tells of its environment, and of which type each is."""
_BUILD_SECONDS = 600.0
_MOST_NOTES = 20
_MOST_TEXT = 2000
"""The characters of an error that a worker tells."""


def load_for(
    pool: EnvPool, env: str, config: dict[str, Any] | None = None, *, split: Split, rows: int | None = None,
    tokenizer: Any = None, user: Any = None, build_timeout: float | None = None,
) -> LoadedEnv:  # fmt: skip
    """An environment for episodes in a pool: imported here for threads, and in no other case.

    `rows` is how many of the split are needed; None is all. A worker gets ready in ten minutes where no time is given.
    """
    check_config_type(config)
    named = tokenizer is None or isinstance(tokenizer, str | TokenizerOf)
    check_kind(pool)
    found = spec(env) if pool.kind != "thread" else None
    if pool.kind == "sandbox":
        leave_working_folder()
    if found is None or not named or found.entry_point.startswith("__main__:"):  # which has run already
        return load(env, config, tokenizer=tokenizer, build_timeout=build_timeout, user=user)
    found = found.with_config(config) if config else found
    loaded = _described(found, pool, split, rows, tokenizer, build_timeout or _BUILD_SECONDS)
    if user is not None:
        if loaded.traits.user != "model":
            raise UsageError(f"{found.id} has no ModelUser, so there is no user for --user-model.", "Leave it out.")
        loaded.user_model = user
    return loaded


@dataclass
class DescribedEnv(LoadedEnv):
    """What a worker told: a description and rows. `env` is no instance, and says only what its class has."""

    own_tokenizer: str | None = None
    rows_told: Rows | None = None
    order: dict[str, Any] = field(default_factory=dict)

    @property
    def tokenizer_name(self) -> str | None:
        """The name of the tokenizer that rows and scores depend on."""
        return self.own_tokenizer

    def rows(self, split: Split = "all") -> Rows:
        """The rows that the worker has built."""
        if split != self.order["split"] or self.rows_told is None:
            raise UsageError(
                f"{self.spec.id} was loaded for its {self.order['split']} rows, not {split}.", "Load it again."
            )
        return self.rows_told


class _Table:
    """The rows that are needed, by their place in the whole dataset."""

    def __init__(self, rows: Mapping[int, Row], total: int, columns: Sequence[str]) -> None:
        self._rows, self._total, self.column_names = rows, total, columns

    def __len__(self) -> int:
        return self._total

    def __getitem__(self, place: int) -> Row:
        return self._rows[place]


def _described(
    found: EnvSpec, pool: EnvPool, split: Split, rows: int | None, tokenizer: Any, build_timeout: float | None
) -> DescribedEnv:
    order = order_of_spec(found, pool.kind, split, tokenizer)
    reads = () if pool.kind in POOLS else plugin_pools()[pool.kind].reads
    settings = {
        "call_seconds": build_timeout, "memory": pool.memory_bytes, "model": False, "first": True, "reads": reads,
    }  # fmt: skip
    server = ForkServer("grpo_env_sdk.rollout.process_main", {**order, **settings}, **pool.launch())
    try:
        server.start(build_timeout)
        with _Talk(Worker(server.fork()), found.id, build_timeout) as talk:
            told = talk.told()
            table = _Table(talk.rows(told, rows), told["total"], told["columns"])
    finally:
        server.close()
    for note in told["notes"][:_MOST_NOTES]:
        warnings.warn(note, GrpoEnvWarning, stacklevel=4)
    traits: Traits = replace(told["traits"], reward_range=tuple(told["traits"].reward_range))
    parts = tuple(replace(part, range=tuple(part.range)) for part in told["score_rule"].parts)
    spec_told = replace(found, kind=traits.kind, source_hash=told["source_hash"])
    rule = replace(told["score_rule"], parts=parts)
    description = EnvDescription(spec_told, traits, told["tools"], rule, told["name"])
    order["tokenizer"] = told["tokenizer"]
    stand_in = _stand_in(told, pool, reads)
    return DescribedEnv(
        description, stand_in, None, build_timeout, pool=pool, own_tokenizer=told["tokenizer"], order=order,
        rows_told=Rows(table, told["indices"], told["offset"]),
    )  # fmt: skip


def _stand_in(told: Mapping[str, Any], pool: EnvPool, reads: Sequence[str] = ()) -> Any:
    """In the place of the instance: the user model that its class names, whether it opens something, what a pool reads.

    Of a sandbox, only the name of a model at the usual server: another would be a file, a host or code of its choice.
    """
    parts: dict[str, Any] = {name: value for name, value in told["declared"].items() if name in reads}
    if told["opens_shared"]:
        parts["open_shared"] = lambda self: None
    if told["user"] is not None:
        policy, url = told["user"]
        free = pool.kind != "sandbox" or (str(policy).startswith("openai:") and url is None)
        parts["user"] = ModelUser(policy, base_url=url) if free else ModelUser()
    return type("Described", (), parts)()


class _Talk:
    """Questions to a worker about its environment; each answer in time and of the right type, or an error."""

    def __init__(self, worker: Worker, name: str, seconds: float | None) -> None:
        self.worker, self.name, self.seconds = worker, name, seconds
        self.ends = math.inf if seconds is None else time.monotonic() + seconds

    def __enter__(self) -> "_Talk":
        return self

    def __exit__(self, *exc: object) -> None:
        self.worker.kill()

    def told(self) -> dict[str, Any]:
        """What it tells of the environment."""
        found = self._asked("describe", None)
        wrong = [key for key, kind in _TOLD.items() if not isinstance(found, dict) or not fits(found.get(key), kind)]
        if wrong := wrong or nonsense_in(found):
            raise self._forged(wrong[0])
        told: dict[str, Any] = found
        return told

    def rows(self, told: Mapping[str, Any], most: int | None) -> dict[int, Row]:
        """The first rows of the split, by their place."""
        wanted: list[int] = told["indices"][:most]
        rows: dict[int, Row] = {}
        while len(rows) < len(wanted):
            some = self._asked("rows", wanted[len(rows) :][:1000])
            if not isinstance(some, list) or not some or not all(_is_row(row) for row in some):
                raise self._forged("rows")
            rows |= {place - told["offset"]: row for place, row in zip(wanted[len(rows) :], some, strict=False)}
        return rows

    def _asked(self, kind: Kind, value: Any) -> Any:
        try:
            answer = run_coroutine(self._answer(Frame(kind, 0, encode(value))))
        except WorkerLateError as exc:
            message = f"{self.name}: its process did not tell its rows within {self.seconds:g} s."
            raise EnvironmentFailedError(message, "Fix what hangs, or give it more time: --limit-build.") from exc
        except WorkerEndedError as exc:
            raise EnvironmentFailedError(f"{self.name}: its process {exc}.", "Fix that in its code.") from exc
        try:
            found = decode(answer.packet)
        except Exception as exc:
            raise self._forged(type(exc).__name__) from exc
        if isinstance(found, dict) and isinstance(found.get("failed"), str):
            raise DatasetError(f"{self.name}: {found['failed'][:_MOST_TEXT]}", str(found.get("hint", ""))[:_MOST_TEXT])
        return found

    def _forged(self, what: str) -> EnvironmentFailedError:
        return EnvironmentFailedError(f"{self.name}: its process sent nonsense ({what}).", "Its code may interfere.")

    async def _answer(self, frame: Frame) -> Frame:
        left = self.ends - time.monotonic()
        return await self.worker.ask(frame, None if self.seconds is None else max(left, 0.001))


def _is_row(value: Any) -> bool:
    return fits(value, dict[str, Any]) and fits(value.get("prompt"), str | list[dict[str, Any]])
