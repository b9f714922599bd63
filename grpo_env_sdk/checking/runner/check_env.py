"""`check_env`: check one environment and get a report. `grpo-env test` and the pytest plugin run the same code."""

import copy
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

from grpo_env_sdk.checking.check import LEARN, TEMPLATE, all_checks, selected
from grpo_env_sdk.checking.contract.waiver_faults import WAIVING
from grpo_env_sdk.checking.evidence.playing.machine_load import busy
from grpo_env_sdk.checking.evidence.playing.settings import Effort, Settings
from grpo_env_sdk.checking.findings.folding import folded
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.project_waivers import NO_WAIVERS, ProjectWaivers, project_waivers
from grpo_env_sdk.checking.reports.waivers import apply_waivers
from grpo_env_sdk.checking.runner.proof import why_unproven
from grpo_env_sdk.checking.runner.runner import CheckPlan, OnEvent, run_checks
from grpo_env_sdk.checking.runner.worker import waivers_on
from grpo_env_sdk.envs.config import check_config_type
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.envs.protocol import check_contract
from grpo_env_sdk.errors import ConfigError, GrpoEnvError, UsageError, did_you_mean
from grpo_env_sdk.isolation.author_code.arguments import suggesting_names
from grpo_env_sdk.isolation.author_code.import_folders import leave_working_folder
from grpo_env_sdk.isolation.calls.tracebacks import describe_error, name_of
from grpo_env_sdk.isolation.processes.env_pool import POOLS, PoolKind
from grpo_env_sdk.isolation.sandbox.python_process import use_bubblewrap
from grpo_env_sdk.isolation.values.json_values import plain_copy
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.registry.lookup import load_class, spec, well_formed
from grpo_env_sdk.registry.pools import pool_names
from grpo_env_sdk.registry.qualified import qualified
from grpo_env_sdk.report.progress_line import ProgressLine
from grpo_env_sdk.types import EnvSpec

LEAST_SECONDS = 5.0
BUILD_SHARE = 0.4
"""How much of the timeout may go into building the rows once; more on a busy machine."""
REST_SECONDS = 30.0
"""What a busy machine leaves of the timeout for the checks."""
_TRAINER = "pip install grpo-env-trl"


@suggesting_names
def check_env(
    env: Any,
    *,
    config: Mapping[str, Any] | None = None,
    effort: Effort = "default",
    select: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    rows: int | None = None,
    seed: int = 0,
    timeout: float = 120.0,
    env_pool: PoolKind = "process",
    learn: bool = False,
    model: str | None = None,
    tokenizer: str | None = None,
    user_model: str | None = None,
    user_base_url: str | None = None,
    waivers: bool = True,
    progress: bool | None = None,
) -> Report:
    """Check an environment for bugs, reward hacking and learning signal, without a model and without a GPU.

    ```python
    report = check_env("hotel-v1", effort="quick")
    assert report.ok, report
    ```

    Args:
        env: An id, "module:Class", a spec, a class or an instance.
        config: Arguments of the constructor.
        effort: "quick", "default" or "thorough".
        select: Only these checks or groups, such as "score" or ["S2", "C120"].
        ignore: All but these checks or groups.
        rows: Play on at most so many rows.
        seed: The same seed gives the same checks.
        timeout: Seconds for the whole check.
        env_pool: Where environment code runs: in a "process" of its own, in a "sandbox" for code that you do not trust,
            or in this process ("thread"), as classes without an import path always do.
        learn: Also train a small model on it, which takes a minute or two more.
        model: Also check the chat template of this model (a hub id, a folder or a run); its tokenizer builds the rows,
            and scorers that use a model have it.
        tokenizer: The same, for the folder of a tokenizer alone.
        user_model: Who speaks for a `ModelUser`; without it nobody is asked, and a stand-in agrees to everything.
        user_base_url: The server of that model.
        waivers: False counts every finding, whatever the class or the project waives.
        progress: Show on stderr which check runs; None does so in interactive Python, such as a notebook.
    """
    user = (user_model, user_base_url)
    plan = check_plan(effort, select, ignore, rows, seed, timeout, env_pool, learn, model or tokenizer, user, waivers)
    target = target_of(env, config, env_pool)
    with ProgressLine(progress) as line:
        return check_target(target, plan, _showing(line, target.name, len(plan.checks)))


def _showing(line: ProgressLine, name: str, total: int) -> OnEvent:
    """What shows on a line how far the checks are."""
    ended: set[str] = set()
    check = ""

    def show(event: dict[str, Any]) -> None:
        nonlocal check
        check = event.get("check", check)
        if event["event"] == "ended":
            ended.add(check)
        now = ", ".join(filter(None, [check, event.get("stage")]))
        done = min(len(ended), total)
        line.show(lambda: f"{name}: {done}/{counted(total, 'check')}, now {now or 'the import'}")

    return show


@dataclass(frozen=True, slots=True)
class CheckTarget:
    """An environment to check: how to create it, and its project's waivers."""

    spec: EnvSpec
    name: str
    """The name that finds it, also where several packages have its id."""
    create: Callable[..., Any] | None = None
    """The class, or what returns copies of an instance, if no import path leads to it."""
    waive: Any = None
    """The waivers on an instance."""
    project: ProjectWaivers = NO_WAIVERS


def check_plan(
    effort: str = "default",
    select: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    rows: int | None = None,
    seed: int = 0,
    timeout: float = 120.0,
    env_pool: PoolKind = "process",
    learn: bool = False,
    model: str | None = None,
    user: tuple[str | None, str | None] = (None, None),
    waivers: bool = True,
) -> CheckPlan:
    """What to check and how; one clear error for each invalid argument."""
    if effort not in get_args(Effort):
        hint = did_you_mean(str(effort), get_args(Effort)) or f"It is one of {', '.join(get_args(Effort))}."
        raise UsageError(f"No effort named {effort!r}.", hint)
    _check_whole("rows", rows, least=1)
    _check_whole("seed", seed)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not LEAST_SECONDS <= timeout < float("inf"):
        raise UsageError(f"timeout must be at least {LEAST_SECONDS:g} seconds, got {timeout!r}.", "The default is 120.")
    for name, given in (("model", model), ("user_model", user[0]), ("user_base_url", user[1])):
        if not isinstance(given, str | None):
            raise UsageError(f"{name} must be a text, got {given!r:.80}.", "Checks ask models by name.")
    for name, switch, what in (
        ("learn", learn, "True also trains a small model on it."),
        ("waivers", waivers, "False counts every finding."),
    ):
        if not isinstance(switch, bool):
            raise UsageError(f"{name} must be True or False, got {switch!r:.80}.", what)
    _check_pool(env_pool, model, user)
    groups = {check.group for check in all_checks().values()}
    if learn and LEARN not in groups:
        raise UsageError("--learn trains a small model, and no trainer is installed.", _TRAINER)
    if model and TEMPLATE not in groups:
        raise UsageError("--model checks a chat template, and no trainer is installed.", _TRAINER)
    settings = Settings(
        effort=effort,  # type: ignore[arg-type]  # one of them, as was just checked
        rows=rows,
        seed=seed,
        build_seconds=_build_seconds(timeout),
        origin=os.getcwd(),
        user_model=_wherever(user[0]),
        user_base_url=user[1],
        model=_wherever(model),
    )
    checks = selected(names_in(select), names_in(ignore), settings.effort, learn, bool(model))
    for check in checks:
        if check.ready is not None:
            check.ready(settings)
    unfiltered = not (names_in(select) or names_in(ignore))
    return CheckPlan(checks, settings, timeout, env_pool, unfiltered, waivers)


def _build_seconds(timeout: float) -> float:
    usual = BUILD_SHARE * timeout
    return max(usual, min(busy() * usual, timeout - REST_SECONDS))


def _check_pool(pool: PoolKind, model: str | None, user: tuple[str | None, str | None]) -> None:
    """Raise where the checks cannot run in a pool, or not with these models."""
    if pool not in POOLS:
        hint = "Actors on a cluster are for episodes: eval and train." if pool in pool_names() else ""
        hint = hint or did_you_mean(str(pool), POOLS) or f"It is one of {', '.join(POOLS)}."
        raise UsageError(f"Checks do not run in {pool!r:.80}.", hint)
    if pool != "sandbox":
        return
    use_bubblewrap("bubblewrap")
    if model is not None and not os.path.isdir(model):
        message = f"A sandbox has no network and no cache of models, so --model {model} cannot be opened in it."
        raise UsageError(message, "Give the folder of a model.")
    if user != (None, None):
        message = "A sandbox has no network and no key, so it cannot ask a --user-model."
        raise UsageError(message, "Leave it out: a stand-in answers.")


def _wherever(policy: str | None) -> str | None:
    """The name of a policy as a process in another folder needs it."""
    prefix, colon, file = (policy or "").partition(":")
    if colon and prefix == "scripted":
        return f"{prefix}:{os.path.abspath(file)}"
    return os.path.abspath(policy) if policy and os.path.isdir(policy) else policy


def target_of(env: Any, config: Mapping[str, Any] | None = None, env_pool: PoolKind = "process") -> CheckTarget:
    """The environment of a name, a spec, a class or an instance; for a sandbox, one that it can import."""
    check_config_type(config)
    create: Callable[..., Any] | None = None
    waive = None
    if isinstance(env, str | EnvSpec):
        found = spec(env) if isinstance(env, str) else env
        create = load_class(found) if found.entry_point.startswith("__main__:") else None
    elif isinstance(env, type):
        found = EnvSpec(name_of(env), name_of(env))
        create = None if _can_be_imported(env) else env
    else:
        env = env.env if isinstance(env, LoadedEnv) else env
        if config:
            raise ConfigError(f"{name_of(env)} is an instance, so it takes no config.", "Give the class or its name.")
        check_contract(type(env))
        found, create, waive = EnvSpec(name_of(env), name_of(env)), _copies_of(env), waivers_on(env)
    if env_pool == "sandbox":
        leave_working_folder()
        if create is not None:
            raise UsageError(f"{found.id} is in this process alone.", "A sandbox imports a class by its name.")
    found = found.with_config(dict(config)) if config else found
    return CheckTarget(found, qualified(found), create, waive, project_waivers(found, Path.cwd()))


def check_target(target: CheckTarget, plan: CheckPlan, on_event: OnEvent = lambda event: None) -> Report:
    """The report on one environment, with its waivers applied."""
    if target.spec.distribution:
        well_formed(target.spec)
    report = run_checks(target.spec, plan, on_event, target.create)
    report.name, report.distribution, report.version = target.name, target.spec.distribution, target.spec.version
    report.config = plain_copy(target.spec.config)[0]
    report.effort, report.seed = plan.settings.effort, plan.settings.seed
    report.waive = report.waive if target.waive is None else target.waive
    timed = any(check.id == WAIVING for check in plan.checks)
    apply_waivers(report, target.project if plan.waivers else None, timed)
    report.findings = folded(report.findings)
    report.unproven = why_unproven(report, plan.settings.rows) if plan.unfiltered else ()
    return report


def names_in(listed: str | Iterable[str]) -> list[str]:
    """Ids and groups, given one by one or as a text with commas."""
    return listed.replace(",", " ").split() if isinstance(listed, str) else list(listed)


def _check_whole(name: str, value: Any, least: int | None = None) -> None:
    if value is None and least is not None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or (least is not None and value < least):
        bound = "" if least is None else f" of at least {least}"
        raise UsageError(f"{name} must be a whole number{bound}, got {value!r}.", "")


def _can_be_imported(cls: type) -> bool:
    """Whether another process finds the class by its module and name."""
    found: Any = sys.modules.get(cls.__module__) if cls.__module__ != "__main__" else None
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is cls


def _copies_of(env: Any) -> Callable[[], Any]:
    """What returns one more instance like this one: some checks compare several."""
    create: Callable[[], Any] = env.fresh if callable(getattr(env, "fresh", None)) else partial(copy.deepcopy, env)
    try:
        create()
    except GrpoEnvError:
        raise
    except Exception as exc:
        message = f"{name_of(env)} cannot be copied ({describe_error(exc)}), and the checks need several instances."
        raise UsageError(message, "Give the class or its name.") from exc
    return create
