"""`grpo-env eval`: evaluate a policy on environments, with every episode saved in a run."""

import argparse
import asyncio
import signal
import sys
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from grpo_env_sdk.cli import INTERRUPTED
from grpo_env_sdk.cli.config_file import with_config_file
from grpo_env_sdk.cli.eval_flags import configure
from grpo_env_sdk.cli.output import print_json, say
from grpo_env_sdk.cli.parser import (
    Parser,
)
from grpo_env_sdk.cli.pool_flags import named_pool
from grpo_env_sdk.cli.progress import EvalProgress
from grpo_env_sdk.cli.summary import print_summary, say_retry
from grpo_env_sdk.cli.user_flags import named_user
from grpo_env_sdk.envs.config import read_config, read_object
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.evaluate import Evaluator, start
from grpo_env_sdk.evaluation.gates import check_reachable, min_reward_gate
from grpo_env_sdk.evaluation.metrics import Prices
from grpo_env_sdk.evaluation.plan import EvalPlan, prices_of
from grpo_env_sdk.evaluation.result import Evaluation
from grpo_env_sdk.evaluation.resuming import resume
from grpo_env_sdk.isolation.calls.async_calls import run_loop
from grpo_env_sdk.isolation.calls.command_process import end_process
from grpo_env_sdk.isolation.processes.ending_signals import ending_signals, note_hangup
from grpo_env_sdk.isolation.processes.env_pool import THREADS
from grpo_env_sdk.plain_text import command_line, counted
from grpo_env_sdk.policies import Sampling
from grpo_env_sdk.policies.make import PolicySpec, tokenizer_for
from grpo_env_sdk.registry.namespaces import with_namespaces
from grpo_env_sdk.registry.qualified import qualified
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.rollout.described_env import load_for
from grpo_env_sdk.runs.changed_episodes import check_unchanged
from grpo_env_sdk.runs.reading import RunError, open_run
from grpo_env_sdk.runs.watcher import Watcher
from grpo_env_sdk.runs.writing import RunWriter

EXAMPLE = (
    "  grpo-env eval hotel-v1 --model gold\n"
    "  grpo-env eval hotel-v1 --model openai:NAME --base-url http://127.0.0.1:8000/v1 -n 100 -k 4"
)
_TOO_LOW = 1
"""The exit code where nothing was scored, or too little."""
_FEW = 5
"""With fewer held-out rows, their mean is noted to say little."""
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
    if args.out and len(envs) > 1:
        raise UsageError("--out names one folder, but there are several environments.", "Leave it out.")
    plan = _plan(args)
    config = read_config(args.env_config)
    tokenizer = args.tokenizer or tokenizer_for(args.model)
    user = named_user(args)
    loaded = [
        load_for(
            plan.pool, env, config, split=plan.split, rows=plan.most_rows, tokenizer=tokenizer, user=user,
            build_timeout=args.limit_build,
        )
        for env in envs
    ]  # fmt: skip
    work = [Evaluator(one, plan) for one in loaded]
    for item in work:
        item.check_replay(args.force)
        check_reachable(args.min_reward, item.loaded)
    if args.dry_run:
        return _dry_run(work, args.json)
    return max([_evaluate(item, start(item, args.out, Path("runs")), args) for item in work])


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
    changes = {name: changed[name] for name in ("concurrency", "max_errors", "env_retries") if name in changed}
    if args.min_reward is not None:
        check_unchanged(open_run(args.resume))
    if len(args.envs) > 1:
        raise UsageError("--resume continues the run of one environment.", "Name that one, or none.")
    baselines = {} if args.force else _kept_baselines(args.resume)
    work, writer = resume(
        args.resume, args.force, args.retry_failed, args.base_url, args.tokenizer,
        env=args.envs[0] if args.envs else None, model=args.model, user=named_user(args), trust=args.trust,
        pool=named_pool(args), give_up=_rows(args.give_up), **changes,
    )  # fmt: skip
    check_reachable(args.min_reward, work.loaded)
    return _evaluate(work, writer, args, baselines)


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


def _dry_run(work: list[Evaluator], as_json: bool) -> int:
    for item in work:
        manifest = item.manifest()
        if as_json:
            print_json(manifest)
        else:
            name = qualified(item.loaded.spec)
            say(f"{name}: {len(item.jobs)} episodes by {item.policy.name} would run; nothing was written.")
    return 0


def _note_fewer_at_once(work: Evaluator, asked: int | None) -> None:
    """Say so where an environment allows fewer episodes at once than the user asked for."""
    env = work.loaded
    if asked is not None and (why := env.description.why_fewer_at_once(asked, env.pool)):
        say(f"note: {why}", file=sys.stderr)


def _note_few_rows(work: Evaluator) -> None:
    """Say so where the held-out rows are so few that their mean says little."""
    rows, plan = len(work.rows.indices), work.plan
    if plan.split == "test" and plan.rows is None and rows < _FEW and not work.loaded.splits_itself:
        say(f"note: only {counted(rows, 'row')}, as about a tenth is held out; --split all takes all.", file=sys.stderr)


def _evaluate(
    work: Evaluator, writer: RunWriter, args: argparse.Namespace, baselines: dict[str, Any] | None = None
) -> int:
    _note_fewer_at_once(work, args.concurrency)
    _note_few_rows(work)
    with writer:
        done = len({(episode.row_index, episode.sample) for episode in writer.run.episodes()})
        with EvalProgress(work.loaded.spec.id, len(work.jobs), done) as progress, _watched(work, writer, args.json):
            evaluation = run_loop(_until_interrupted(work, writer, progress))
        summary = evaluation.summary
        if not evaluation.interrupted and (found := _baselines(work) if args.baselines else baselines):
            summary |= {"baselines": found}
            writer.finish(summary)
    if retried := getattr(work.policy, "retried", ""):
        say(f"note: {retried}", file=sys.stderr)
    if evaluation.interrupted:
        gate_again = [] if args.min_reward is None else ["--min-reward", args.min_reward]
        raise KeyboardInterrupt(
            f"Interrupted after {work.tally.episodes} of {len(work.jobs)} episodes; all are saved.\n"
            f"Resume with: {command_line('eval', '--resume', writer.run.path, *gate_again)}"
        )
    gate = min_reward_gate(args.min_reward, work.plan, evaluation.tally, len(work.jobs))
    if args.json:
        sent_again = {"sent_again": getattr(work.policy, "sent_again", 0)}
        print_json(summary | sent_again | ({"gate": gate.as_json()} if gate else {}))
    else:
        print_summary(summary, qualified(work.loaded.spec))
        say_retry(summary, writer.run)
        if gate:
            say(gate)
    for forced in writer.run.manifest.get("forced", ()):
        say(f"note: resumed with --force although {'; '.join(forced['differences'])}.", file=sys.stderr)
    return 0 if evaluation.tally.scored and (gate is None or gate.passed) else _TOO_LOW


def _watched(work: Evaluator, writer: RunWriter, as_json: bool) -> AbstractContextManager[None]:
    """While this lasts, another process sees whether environment code ends this one, or freezes it."""
    path, seconds = writer.run.path, work.plan.limits.call_seconds
    again = f"Go on in worker processes, where that costs one episode: {command_line('eval', '--resume', path)}"
    live = writer.live_rows.path
    return Watcher(live, seconds, again, as_json) if work.loaded.pool == THREADS else nullcontext()


async def _until_interrupted(work: Evaluator, writer: RunWriter, progress: EvalProgress) -> Evaluation:
    """Run the evaluation; a first Ctrl-C, SIGTERM or SIGHUP ends it in good order, a second one at once."""
    loop = asyncio.get_running_loop()

    def stop(number: int, frame: object) -> None:  # not a handler of the loop, which a policy may block
        note_hangup(number)
        writer.live_rows.close()  # whatever ends the process from now on, it was asked to
        if work.interrupted and number == signal.SIGHUP:  # a shell and the kernel may both send it
            return
        if work.interrupted:
            end_process(INTERRUPTED)
        work.interrupted = True
        loop.call_soon_threadsafe(work.interrupt)

    before = {number: signal.signal(number, stop) for number in ending_signals()}
    try:
        return await work.run(writer, progress.seen)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _kept_baselines(folder: str) -> dict[str, Any]:
    """The baselines that an earlier `--baselines` has left in a run."""
    with suppress(RunError):  # which resuming reports, unless it is only of the summary that it writes again
        return dict((open_run(folder).summary() or {}).get("baselines", {}))
    return {}


def _baselines(work: Evaluator) -> dict[str, Any]:
    """The mean reward of gold and of random on the same rows."""
    found = {}
    for name in ("gold", "random"):
        if name == "gold" and not work.loaded.traits.solvable:
            continue
        plan = replace(work.plan, policy=PolicySpec(name), samples=1, max_errors=None)
        found[name] = run_loop(
            Evaluator(work.loaded, plan, live_model=work.live_model).run(None)
        ).tally.reward.as_json()
    return found
