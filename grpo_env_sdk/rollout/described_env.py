"""An environment that only worker processes import: all that this process has of it is data."""

import math
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from grpo_env_sdk.data.rows import Rows, Split, joined
from grpo_env_sdk.envs.config import check_config_type
from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.envs.loading import load, with_user
from grpo_env_sdk.envs.model_user import ModelUser
from grpo_env_sdk.envs.tokenizer import TokenizerOf, name_of_tokenizer
from grpo_env_sdk.envs.traits import Traits
from grpo_env_sdk.errors import DatasetError, EnvironmentFailedError, GrpoEnvWarning, UsageError
from grpo_env_sdk.isolation.author_code.import_folders import leave_working_folder
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.calls.tracebacks import name_of
from grpo_env_sdk.isolation.processes.env_pool import POOLS, THREADS, EnvPool
from grpo_env_sdk.registry.lookup import spec
from grpo_env_sdk.registry.pools import check_kind, plugin_pools
from grpo_env_sdk.rewards.score_rule import ScoreRule
from grpo_env_sdk.rollout.encoding import encode
from grpo_env_sdk.rollout.event_types import fits
from grpo_env_sdk.rollout.plausible_answers import nonsense_in
from grpo_env_sdk.rollout.process_frames import BadFrameError, Frame, Kind
from grpo_env_sdk.rollout.process_order import importable, order_of_spec, path_of
from grpo_env_sdk.rollout.sent_rows import BOTH, SentRows, SomeRows, whole_rows
from grpo_env_sdk.rollout.worker_channel import Worker, WorkerEndedError, WorkerLateError, checked_answer
from grpo_env_sdk.rollout.worker_source import LoadingProcess
from grpo_env_sdk.types import EnvSpec, Row

_ANSWER: dict[str, Any] = {
    "traits": Traits, "tools": list[dict[str, Any]], "score_rule": ScoreRule, "name": str, "source_hash": str | None,
    "tokenizer": str | None, "opens_shared": bool, "user": tuple[str | None, str | None] | None, "notes": list[str],
    "declared": dict[str, Any], "splits_itself": bool, "has_state": bool, "splits": dict[str, SentRows],
}  # fmt: skip
"""What a worker tells of its environment, and of which type each is."""
_BUILD_SECONDS = 600.0
_MOST_NOTES = 20


def load_for(
    pool: EnvPool | None, env: Any, config: dict[str, Any] | None = None, *, split: Split | None,
    rows: int | None = None, tokenizer: Any = None, user: Any = None, build_timeout: float | None = None,
    rewards: Sequence[Any] = (),
) -> LoadedEnv:  # fmt: skip
    """An environment for episodes in a pool: loaded here for threads, as without one, and by workers for any other.

    `split` None is what a training needs, every row of it. `rows` is how many of the split are needed; None is all. A
    worker gets ready in ten minutes where no time is given. What is no name or class is loaded already.
    """
    check_config_type(config)
    pool = pool or THREADS
    check_kind(pool)
    if pool.kind == "sandbox":
        leave_working_folder()
    if pool.kind == "thread" or not isinstance(env, str | type):
        loaded = load(env, config, rewards=rewards, tokenizer=tokenizer, build_timeout=build_timeout, user=user)
        return loaded if pool.kind == "thread" else loaded.with_settings(pool=pool)
    found = spec(env) if isinstance(env, str) else EnvSpec(name_of(env), name_of(env))
    path_of(env, found.entry_point, found.id, pool.kind)
    found = found.with_config(config) if config else found
    named = tokenizer if isinstance(tokenizer, str | TokenizerOf) else name_of_tokenizer(tokenizer)
    order = order_of_spec(found, pool.kind, BOTH if split is None else [split], named)
    order["rewards"] = [importable(reward, found.id, pool.kind) for reward in rewards]
    return with_user(_described(found, pool, order, rows, build_timeout or _BUILD_SECONDS), user)


@dataclass
class DescribedEnv(LoadedEnv):
    """What a worker told: a description and rows. `env` is no instance, and says only what its class has."""

    told: Mapping[str, Any] = field(default_factory=dict)
    sent_rows: Mapping[Split, Rows] = field(default_factory=dict)
    order: dict[str, Any] = field(default_factory=dict)
    """How workers load it again."""
    process: LoadingProcess | None = None
    """What has loaded it, where its workers are forked from that."""

    @property
    def tokenizer_name(self) -> str | None:
        """The name of the tokenizer that rows and scores depend on."""
        return self.order["tokenizer"]  # type: ignore[no-any-return]  # a text, or None

    @property
    def splits_itself(self) -> bool:
        """Whether the environment decides which rows are held out."""
        return bool(self.told["splits_itself"])

    @property
    def has_state(self) -> bool:
        """Whether it has a `state_dict()`."""
        return bool(self.told["has_state"])

    @property
    def scores_with_model(self) -> bool:
        """Whether its class says that scores use the live model; no worker has one."""
        return self.traits.uses_model

    @contextmanager
    def held_open(self) -> Iterator[None]:
        """Nothing is open here: each worker opens what the class shares."""
        yield

    def rows(self, split: Split = "all") -> Rows:
        """The rows that the worker has built."""
        if split == "all" and {*self.sent_rows} == {*BOTH}:
            train, test = (self.sent_rows[part].table for part in BOTH)
            return joined(train, test, lambda what, hint: DatasetError(f"{self.spec.id}.build_dataset {what}.", hint))
        if split not in self.sent_rows:
            raise UsageError(
                f"{self.spec.id} was loaded for its {' and '.join(self.sent_rows)} rows, not {split}.", "Load it again."
            )
        return self.sent_rows[split]


def _described(
    found: EnvSpec, pool: EnvPool, order: dict[str, Any], rows: int | None, build_timeout: float
) -> DescribedEnv:
    reads = () if pool.kind in POOLS else plugin_pools()[pool.kind].reads
    settings = {
        "call_seconds": build_timeout, "usual_call": False, "memory": pool.memory_bytes, "model": False, "first": True,
        "reads": reads,
    }  # fmt: skip
    process = LoadingProcess(pool, {**order, **settings})
    stays = False
    try:
        process.server.start(build_timeout)
        with _Channel(Worker(process.server.fork()), found.id, build_timeout) as talk:
            told = talk.told(order["splits"])
            sent_rows = talk.all_rows(told, rows)
        stays = pool.kind in POOLS
    finally:
        if not stays:
            process.server.close()
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
        description, stand_in, None, build_timeout, pool=pool, told=told, sent_rows=sent_rows, order=order,
        process=process if stays else None,
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


class _Channel:
    """Questions to a worker about its environment; each answer in time and of the right type, or an error."""

    def __init__(self, worker: Worker, name: str, seconds: float | None) -> None:
        self.worker, self.name, self.seconds = worker, name, seconds
        self.ends = math.inf if seconds is None else time.monotonic() + seconds

    def __enter__(self) -> "_Channel":
        return self

    def __exit__(self, *exc: object) -> None:
        self.worker.kill()

    def told(self, splits: Sequence[Split]) -> dict[str, Any]:
        """What it tells of the environment and these rows of it."""
        found = self._asked("describe", None)
        wrong = [key for key, kind in _ANSWER.items() if not isinstance(found, dict) or not fits(found.get(key), kind)]
        if wrong := wrong or nonsense_in(found, splits):
            raise self._forged(wrong[0])
        told: dict[str, Any] = found
        return told

    def all_rows(self, told: Mapping[str, Any], most: int | None) -> dict[Split, Rows]:
        """The rows of what it was asked for: the first of one split, or each of both."""
        splits: dict[Split, SentRows] = told["splits"]
        sent = {split: self.rows(split, part, most) for split, part in splits.items()}
        if {*splits} != {*BOTH}:
            return {split: Rows(SomeRows(sent[split], one), one.indices, one.offset) for split, one in splits.items()}
        try:
            return whole_rows(splits, sent, told["splits_itself"])
        except (DatasetError, KeyError) as exc:
            raise self._forged("rows") from exc

    def rows(self, split: Split, told: SentRows, most: int | None) -> dict[int, Row]:
        """The first rows of a split, by their place."""
        wanted = told.indices[:most]
        rows: dict[int, Row] = {}
        while len(rows) < len(wanted):
            some = self._asked("rows", {"split": split, "indices": wanted[len(rows) :][:1000]})
            if not isinstance(some, list) or not some or not all(_is_row(row) for row in some):
                raise self._forged("rows")
            rows |= {place - told.offset: row for place, row in zip(wanted[len(rows) :], some, strict=False)}
        return rows

    def _asked(self, kind: Kind, value: Any) -> Any:
        try:
            answer = run_coroutine(self._answer(Frame(kind, 0, encode(value))))
            return checked_answer(answer, DatasetError, f"{self.name}: ")
        except WorkerLateError as exc:
            message = f"{self.name}: its process did not tell its rows within {self.seconds:g} s."
            raise EnvironmentFailedError(message, "Fix what hangs, or give it more time: --limit-build.") from exc
        except WorkerEndedError as exc:
            raise EnvironmentFailedError(f"{self.name}: its process {exc}.", "Fix that in its code.") from exc
        except BadFrameError as exc:
            raise self._forged(str(exc)) from exc

    def _forged(self, what: str) -> EnvironmentFailedError:
        return EnvironmentFailedError(f"{self.name}: its process sent nonsense ({what}).", "Its code may interfere.")

    async def _answer(self, frame: Frame) -> Frame:
        left = self.ends - time.monotonic()
        return await self.worker.ask(frame, None if self.seconds is None else max(left, 0.001))


def _is_row(value: Any) -> bool:
    return fits(value, dict[str, Any]) and fits(value.get("prompt"), str | list[dict[str, Any]])
