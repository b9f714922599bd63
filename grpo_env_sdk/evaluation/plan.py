"""The plan of an evaluation, and the manifest that a run keeps of it."""

import math
import os
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from operator import index
from typing import Any, cast

from grpo_env_sdk.data.rows import Split, check_split
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.metrics import Prices
from grpo_env_sdk.evaluation.policy_identity import identity_of_object
from grpo_env_sdk.evaluation.written_ranges import written_range
from grpo_env_sdk.isolation.processes.env_pool import EnvPool, PoolKind
from grpo_env_sdk.policies import Policy, Sampling
from grpo_env_sdk.policies.endpoint import URL_VARIABLE, without_credentials
from grpo_env_sdk.policies.given_policy import PolicyFunction
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.registry.entry_points import version_of
from grpo_env_sdk.registry.pools import check_kind
from grpo_env_sdk.registry.requirements import installed_requirements
from grpo_env_sdk.rollout.commands import Limits, Usual
from grpo_env_sdk.rollout.user_model import user_model_of
from grpo_env_sdk.runs.reading import Run, RunError
from grpo_env_sdk.runs.value_tests import count, number, whole
from grpo_env_sdk.types import STAND_IN

_OF_POOL = ("env_pool", "env_workers", "env_memory", "env_pool_options")


@dataclass(frozen=True)
class EvalPlan:
    """What to evaluate: the policy, the rows, samples, sampling settings and limits."""

    policy: PolicySpec = field(default_factory=lambda: PolicySpec("gold"))
    split: Split = "test"
    rows: int | Sequence[int] | None = None
    samples: int = 1
    sampling: Sampling = field(default_factory=Sampling)
    limits: Limits = field(default_factory=Limits)
    concurrency: int = 64
    max_errors: float | None = None
    pass_at: float | None = None
    by: str | None = None
    cluster: str | None = None
    prices: Prices | None = None
    env_pool: PoolKind = "thread"
    env_workers: int | None = None
    env_memory: float | None = None
    env_pool_options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_kind(self.pool)
        object.__setattr__(self, "rows", rows_asked(self.rows))
        for name in ("samples", "concurrency"):
            _check_count(name, getattr(self, name), optional=False)
        for name in ("max_errors", "pass_at"):
            _check_number(name, getattr(self, name))
        for price in (self.prices.prompt, self.prices.completion) if self.prices else ():
            _check_number("prices", price, 0)
        if self.max_errors is not None and (self.max_errors < 0 or (self.max_errors > 1 and self.max_errors % 1)):
            what = f"max_errors must be a whole number, or a share below 1, got {self.max_errors:g}."
            raise UsageError(what, "10 stops at the tenth failed episode, 0.2 where more than a fifth fail.")
        check_split(self.split)
        _check_type("sampling", self.sampling, Sampling, "Sampling(temperature=0.7)")
        _check_sampling(self.sampling)
        _check_type("limits", self.limits, Limits, "Limits(turns=5)")

    @property
    def most_rows(self) -> int | None:
        """How many rows of the split are needed; None is all of them, also where some are chosen by their indices."""
        return self.rows if isinstance(self.rows, int) else None

    @property
    def pool(self) -> EnvPool:
        """Where environment code runs."""
        return EnvPool(self.env_pool, self.env_workers, self.env_memory, self.env_pool_options)

    def in_pool(self, pool: EnvPool | None) -> "EvalPlan":
        """The same plan with its environment code elsewhere; None leaves it where it is."""
        if pool is None:
            return self
        return replace(self, **fields_of(pool))


def fields_of(pool: EnvPool) -> dict[str, Any]:
    """A pool as the fields of a plan, and of a manifest."""
    return dict(zip(_OF_POOL, (pool.kind, pool.count, pool.memory, pool.options), strict=True))


def _check_count(name: str, value: Any, optional: bool) -> None:
    if optional and value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{name} must be a whole number, got {value!r:.80}.", "A valid value is 1.")
    if value < 1 or not count(value):
        limits = "at least 1" if value < 1 else "below 2**53"
        hint = "Leave it out for all rows." if optional and name == "rows" else ""
        raise UsageError(f"{name} must be {limits}, got {value!s:.80}.", hint)


def rows_asked(rows: Any) -> int | tuple[int, ...] | None:
    """So many rows, or the indices of some, each once, from a list, an array or a set; None is all of them."""
    plain = rows.tolist() if hasattr(rows, "tolist") else rows
    if isinstance(plain, Iterable) and not isinstance(plain, str | bytes | Mapping):
        return _indices(list(plain))
    _check_count("rows", plain, optional=True)
    return cast("int | None", plain)


def _indices(rows: Sequence[Any]) -> tuple[int, ...]:
    try:
        found = tuple(dict.fromkeys(map(index, rows)))
    except TypeError:
        found = ()
    if any(isinstance(row, bool) for row in rows):
        found = ()
    if not found or not all(map(count, found)):
        raise UsageError(f"rows must be a number of rows or a list of row indices, got {rows!r:.80}.", "Like [3, 9].")
    return found


def _check_number(name: str, value: Any, low: float = -math.inf, high: float = math.inf) -> None:
    if value is not None and not (number(value) and low <= value <= high):
        limits = f"at least {low}" if math.isinf(high) else f"from {low} to {high}"
        what = limits if number(value) else "a finite number"
        raise UsageError(f"{name} must be {what}, got {value!r:.80}.", "A valid value is 0.5.")


def may_fail(failed: int, of: int, max_errors: float | None) -> bool:
    """Whether so many episodes may fail; none may without a limit."""
    limit = max_errors or 0.0
    return failed / of <= limit if limit < 1 else failed < limit


def _check_sampling(sampling: Sampling) -> None:
    _check_number("temperature", sampling.temperature, 0)
    _check_number("top_p", sampling.top_p, 0, 1)
    _check_count("max_tokens", sampling.max_tokens, optional=True)
    if not whole(sampling.seed):
        raise UsageError(f"seed must be a whole number of 64 bits, got {sampling.seed!r:.80}.", "Like seed=1.")


def _check_type(name: str, value: Any, cls: type, example: str) -> None:
    if not isinstance(value, cls):
        hint = f"Write {name}={example}, with `from grpo_env_sdk import {cls.__name__}`."
        raise UsageError(f"{name} must be {cls.__name__}(...), got {value!r:.80}.", hint)


def check_out(out: Any, resume: bool) -> None:
    """Raise where no run can be kept there, or gone on with."""
    if out is not None and not isinstance(out, str | os.PathLike):
        raise UsageError(f"out must be the path of a folder, got {out!r:.80}.", "Like out='runs/mine'.")
    if resume and out is None:
        raise UsageError("resume=True needs out, the folder of the run.", "Like out='runs/mine'.")


def prices_of(given: tuple[float, float] | Prices | None) -> Prices | None:
    """Prices from a pair: of a million prompt tokens, and of a million completion tokens."""
    if given is None or isinstance(given, Prices):
        return given
    try:
        prompt, completion = (float(price) for price in given)
    except (TypeError, ValueError):
        raise UsageError(f"prices must be two numbers, got {given!r:.80}.", "Like prices=(0.15, 0.60).") from None
    return Prices(prompt, completion)


def plan_of(run: Run) -> EvalPlan:
    """The plan in a run's manifest."""
    try:
        return _plan_in(run.manifest)
    except (KeyError, TypeError) as exc:
        what = f"it has no {exc}" if isinstance(exc, KeyError) else str(exc)
        raise RunError(f"The manifest of {str(run.path)!r} is damaged: {what}.", "Restore it.") from exc


def _plan_in(manifest: Mapping[str, Any]) -> EvalPlan:
    saved = manifest["plan"]
    usual = saved.get("usual_limits", ())
    limits = {
        name: Usual(value) if name in usual and value is not None else value
        for name, value in manifest["limits"].items()
    } | {"env_retries": saved.get("env_retries", 0)}
    return EvalPlan(
        policy=PolicySpec(manifest["policy"], manifest["base_url"]),
        split=manifest["split"], rows=saved.get("row_indices") or saved["rows"], samples=manifest["samples"],
        sampling=Sampling(**manifest["sampling"]), limits=Limits(**limits),
        concurrency=saved["concurrency"], max_errors=saved["max_errors"], pass_at=saved["pass_at"],
        by=saved["by"], cluster=saved.get("cluster"), prices=Prices(**saved["prices"]) if saved["prices"] else None,
        **{name: saved[name] for name in _OF_POOL if name in saved},
    )  # fmt: skip


def manifest_of(
    loaded: LoadedEnv, plan: EvalPlan, rows: int, fingerprint: str, policy: Policy | PolicyFunction | None = None
) -> dict[str, Any]:
    """The manifest of a run: the environment, the plan, and the versions of the packages that scores depend on.

    `policy` is the object that answers, where that is no policy that the plan names.
    """
    spec = loaded.spec
    return {
        "format": "run-v1",
        "env": spec.id,
        "env_version": spec.version,
        "distribution": spec.distribution,
        "source_hash": spec.source_hash,
        "dataset_fingerprint": fingerprint,
        "config": spec.config,
        "tokenizer": loaded.tokenizer_name,
        "split": plan.split,
        "rows": rows,
        "samples": plan.samples,
        **({"policy": plan.policy.model} if policy is None else identity_of_object(policy)),
        "base_url": without_credentials(plan.policy.base_url or default_url(plan.policy.model)),
        **_user_of(loaded),
        "sampling": asdict(plan.sampling),
        "limits": {name: value for name, value in asdict(plan.limits).items() if name != "env_retries"},
        "reward_range": written_range(loaded.traits.reward_range),
        "part_ranges": {reward.name: written_range(reward.range) for reward in loaded.description.score_rule.parts},
        "tools": loaded.tools,
        "replayable": loaded.traits.replayable,
        "plan": {"concurrency": plan.concurrency, "max_errors": plan.max_errors, "by": plan.by,
                 "cluster": plan.cluster, "pass_at": plan.pass_at,
                 "prices": asdict(plan.prices) if plan.prices else None,
                 "rows": plan.most_rows, "env_retries": plan.limits.env_retries,
                 "usual_limits": plan.limits.usual,
                 **({} if plan.rows == plan.most_rows else {"row_indices": plan.rows}),
                 **{name: getattr(plan, name) for name in _OF_POOL}},
        "created": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "versions": package_versions(),
        "requirements": installed_requirements(spec.distribution),
    }  # fmt: skip


def _user_of(loaded: LoadedEnv) -> dict[str, Any]:
    """The model that speaks for the user, where there is one."""
    if loaded.traits.user != "model":
        return {}
    user = user_model_of(loaded)
    if not isinstance(user, PolicySpec):
        return {"user_model": getattr(user, "name", None), "user_base_url": None}
    return {"user_model": user.model, "user_base_url": without_credentials(user.base_url or default_url(user.model))}


def user_in(run: Run, typed: PolicySpec | None = None) -> PolicySpec | None:
    """The user model of a run, for `load`; a server that only a foreign run names gets no key."""
    named, url = run.manifest.get("user_model"), run.manifest.get("user_base_url")
    if named is None:
        return typed
    typed = typed or PolicySpec("")
    return PolicySpec(typed.model or named, typed.base_url or url, send_key=typed.base_url is not None or run.own)


def tokenizer_in(manifest: Mapping[str, Any]) -> str | None:
    """The tokenizer that built the rows of a run, for `load`, which finds a stand-in by itself."""
    named: str | None = manifest.get("tokenizer")
    return None if named == STAND_IN else named


def package_versions(*more: str) -> dict[str, str]:
    """The versions of the packages that scores depend on."""
    found = {"python": platform.python_version()}
    for name in ("grpo-env-sdk", "gymnasium", "datasets", "jsonschema", *more):
        if installed := version_of(name):
            found[name] = installed
    return found


def default_url(model: str) -> str | None:
    """The server that is used without `--base-url`, so that a resumed run notices another one."""
    return os.environ.get(URL_VARIABLE) if model.startswith("openai:") else None
