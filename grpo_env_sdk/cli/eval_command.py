"""`grpo-env eval`: evaluate a policy on environments, with every episode saved in a run."""

import argparse
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from grpo_env_sdk.cli.config_file import with_config_file
from grpo_env_sdk.cli.eval_complete import only_prints, print_complete
from grpo_env_sdk.cli.eval_flags import configure
from grpo_env_sdk.cli.eval_run import evaluate_run
from grpo_env_sdk.cli.eval_several import RUNS, dry_run_several, evaluate_several, resume_several
from grpo_env_sdk.cli.output import print_json, say
from grpo_env_sdk.cli.parser import Parser
from grpo_env_sdk.cli.pool_flags import named_pool
from grpo_env_sdk.cli.user_flags import named_user
from grpo_env_sdk.envs.config import read_config, read_object
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.evaluate import Evaluator, start
from grpo_env_sdk.evaluation.gates import check_reachable
from grpo_env_sdk.evaluation.metrics import Prices
from grpo_env_sdk.evaluation.plan import EvalPlan, prices_of
from grpo_env_sdk.evaluation.resuming import resume
from grpo_env_sdk.plain_text import command_line
from grpo_env_sdk.policies import Sampling
from grpo_env_sdk.policies.make import PolicySpec, tokenizer_for
from grpo_env_sdk.registry.namespaces import with_namespaces
from grpo_env_sdk.registry.qualified import qualified
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.rollout.described_env import load_for
from grpo_env_sdk.runs.changed_episodes import check_unchanged
from grpo_env_sdk.runs.reading import RunError, open_run
from grpo_env_sdk.runs.run_list import read_list

EXAMPLE = (
    "  grpo-env eval hotel-v1 --model gold\n"
    "  grpo-env eval hotel-v1 --model openai:NAME --base-url http://127.0.0.1:8000/v1 -n 100 -k 4"
)
_WITH_RESUME = (
    "resume", "force", "retry_failed", "trust", "envs", "model", "json", "baselines", "concurrency", "max_errors",
    "base_url", "tokenizer", "user_model", "user_base_url", "env_retries", "env_pool", "env_workers", "env_memory",
    "give_up", "min_reward",
)  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Evaluate each environment, and print a summary of each."""
    args = with_config_file(args, configure)
    if args.resume:
        return _resume(args)
    replays = (args.model or "").startswith("replay:")
    if (args.force and not replays) or args.retry_failed or args.trust or args.give_up:
        flags = "--force, --retry-failed, --give-up and --trust"
        raise UsageError(f"{flags} are for --resume RUN.", "`grpo-env runs` lists the runs.")
    if not args.envs or not args.model:
        what = "an environment" if not args.envs else "--model"
        raise UsageError(f"eval needs {what}.", "Example: grpo-env eval hotel-v1 --model gold")
    envs = with_namespaces(args.envs)
    prepare = partial(
        _prepared, args=args, plan=_plan(args), config=read_config(args.env_config), user=named_user(args)
    )
    if len(envs) > 1:
        if args.dry_run:
            return dry_run_several(envs, prepare, partial(_show_plan, as_json=args.json), args)
        return evaluate_several(envs, prepare, args)
    work = prepare(envs[0])
    if args.dry_run:
        _show_plan(work, args.json)
        return 0
    return evaluate_run(work, start(work, args.out, RUNS), args)


def _prepared(
    env: str, args: argparse.Namespace, plan: EvalPlan, config: dict[str, Any] | None, user: PolicySpec | None
) -> Evaluator:
    loaded = load_for(
        plan.pool, env, config, split=plan.split, rows=plan.most_rows,
        tokenizer=args.tokenizer or tokenizer_for(plan.policy.model), user=user, build_timeout=args.limit_build,
    )  # fmt: skip
    work = Evaluator(loaded, plan)
    work.check_replay(args.force)
    check_reachable(args.min_reward, loaded)
    return work


def _resume(args: argparse.Namespace) -> int:
    parser = Parser("grpo-env eval", "", "")
    configure(parser)
    defaults = vars(parser.parse_args([]))
    changed = {name: value for name, value in vars(args).items() if name != "argv" and value != defaults[name]}
    wrong = [name for name in changed if name not in (*_WITH_RESUME, *args.pool_options)]
    if wrong:
        written = {action.dest: "/".join(action.option_strings) or action.dest for action in parser._actions}
        flags = ", ".join(written[name] for name in wrong)
        raise UsageError(f"--resume uses the settings of the run, so {flags} cannot be set.", "Leave it out.")
    changes: dict[str, Any] = {
        name: changed[name] for name in ("concurrency", "max_errors", "env_retries") if name in changed
    }
    folder = Path(args.resume)
    if (listed := read_list(folder)) is None:
        return _resume_one(folder, args, changes)
    if args.envs or args.give_up:
        one = f"{command_line('eval', '--resume', folder)}/RUN"
        raise UsageError(f"{args.resume} has the runs of several environments.", f"Name the one that you mean: {one}")
    return resume_several(folder, listed, partial(_resume_one, args=args, changes=changes, within=folder), args)


def _resume_one(
    folder: Path, args: argparse.Namespace, changes: Mapping[str, Any], within: Path | None = None
) -> int:  # fmt: skip
    """Go on with one run, which may be one of several in a folder that is resumed."""
    run = open_run(folder)
    if args.min_reward is not None:
        check_unchanged(run)
    if only_prints(run, args):
        return print_complete(run, args)
    if len(args.envs) > 1:
        raise UsageError("--resume continues the run of one environment.", "Name that one, or none.")
    baselines = {} if args.force else _kept_baselines(folder)
    work, writer = resume(
        str(folder), args.force, args.retry_failed, args.base_url, args.tokenizer,
        env=args.envs[0] if args.envs else None, model=args.model, user=named_user(args), trust=args.trust,
        pool=named_pool(args), give_up=_rows(args.give_up), **changes,
    )  # fmt: skip
    check_reachable(args.min_reward, work.loaded)
    return evaluate_run(work, writer, args, baselines, within)


def _rows(text: str | None) -> list[int]:
    try:
        return [int(part) for part in text.split(",")] if text is not None else []
    except ValueError as exc:
        raise UsageError(f"--give-up must be row numbers, got {text!r}.", "Example: --give-up 2,40") from exc


def _plan(args: argparse.Namespace) -> EvalPlan:
    extra = read_object("--extra-body", args.extra_body)
    return EvalPlan(
        policy=PolicySpec(args.model, args.base_url),
        split=args.split, rows=args.rows, samples=args.samples,
        sampling=Sampling(args.temperature, args.top_p, args.max_tokens, args.seed, args.logprobs, extra),
        limits=Limits(args.limit_turns, args.limit_tool_calls, args.limit_tokens, args.limit_episode,
                      args.limit_call, args.limit_policy, args.env_retries),
        concurrency=args.concurrency or EvalPlan.concurrency, max_errors=args.max_errors, pass_at=args.pass_at,
        by=args.by, cluster=args.cluster, prices=_prices(args.prices),
    ).in_pool(named_pool(args))  # fmt: skip


def _prices(text: str | None) -> Prices | None:
    if text is None:
        return None
    try:
        prompt, completion = (float(part) for part in text.split(","))
    except ValueError as exc:
        raise UsageError(f"--prices must be two numbers, got {text!r}.", "Example: --prices 0.15,0.60") from exc
    return prices_of((prompt, completion))


def _show_plan(work: Evaluator, as_json: bool) -> None:
    if as_json:
        print_json(work.manifest())
    else:
        name = qualified(work.loaded.spec)
        say(f"{name}: {len(work.jobs)} episodes by {work.policy.name} would run; nothing was written.")


def _kept_baselines(folder: Path) -> dict[str, Any]:
    """The baselines that an earlier `--baselines` has left in a run."""
    with suppress(RunError):  # which resuming reports, unless it is only of the summary that it writes again
        return dict((open_run(folder).summary() or {}).get("baselines", {}))
    return {}
