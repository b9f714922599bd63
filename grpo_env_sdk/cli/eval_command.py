"""`grpo-env eval`: measure a policy on environments, with every episode kept on disk."""

import argparse
import asyncio
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from grpo_env_sdk.cli import INTERRUPTED
from grpo_env_sdk.cli.config_file import with_config_file
from grpo_env_sdk.cli.loop_watch import LoopWatch
from grpo_env_sdk.cli.output import print_json
from grpo_env_sdk.cli.parser import BUILD_SECONDS, Parser, add_env_config, add_json, whole_number
from grpo_env_sdk.cli.progress import EvalProgress
from grpo_env_sdk.cli.summary import print_summary
from grpo_env_sdk.data.rows import SPLITS
from grpo_env_sdk.envs.config import read_config, read_object
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.evaluate import Evaluator, resume, start
from grpo_env_sdk.evaluation.metrics import Prices
from grpo_env_sdk.evaluation.plan import EvalPlan
from grpo_env_sdk.evaluation.result import Evaluation
from grpo_env_sdk.isolation.async_calls import run_loop
from grpo_env_sdk.policies import Sampling
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.runs import RunWriter

EXAMPLE = (
    "  grpo-env eval hotel-v1 --model gold\n"
    "  grpo-env eval hotel-v1 --model openai:NAME --base-url http://127.0.0.1:8000/v1 -n 100 -k 4"
)
NOTHING_SCORED = 1
PATIENCE = 60.0
"""Seconds without any progress after which that is told, where no call has a limit."""
_WITH_RESUME = ("resume", "force", "retry_failed", "json", "baselines", "concurrency", "max_errors", "base_url")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("envs", nargs="*", metavar="ENV", help="ids, dist:id, or module:Class")
    add = parser.add_argument_group("what is measured").add_argument
    add("--model", "-m", metavar="M", help="gold, random, echo, scripted:FILE, replay:RUN, openai:NAME, or a model")
    add("-n", "--rows", type=whole_number(1), metavar="N", help="how many rows (all)")
    add("-k", "--samples", type=whole_number(1), default=1, metavar="K", help="samples of each row (1)")
    add("--split", choices=SPLITS, default="test", help="which rows (test: those held out)")
    add_env_config(parser)
    add = parser.add_argument_group("sampling").add_argument
    add("--base-url", metavar="URL", help="where the server is; its key comes from OPENAI_API_KEY alone")
    add("--temperature", type=float, metavar="T", help="left to the server unless given")
    add("--top-p", type=float, metavar="P", help="left to the server unless given")
    add("--max-tokens", type=whole_number(1), metavar="N", help="tokens of one turn")
    add("--seed", type=int, default=0, metavar="N", help="equal seeds sample equally, where the policy can (0)")
    add("--logprobs", action="store_true", help="ask for the log-probability of each token")
    add("--extra-body", metavar="JSON", help="more fields of each request")
    _add_limits(parser)
    add = parser.add_argument_group("results").add_argument
    add("--by", metavar="COLUMN", help="also the mean reward for each value of a column")
    add("--pass-at", type=float, metavar="R", help="the reward that counts as a pass (the top of the range)")
    add("--prices", metavar="IN,OUT", help="what a million prompt and completion tokens cost")
    add("--baselines", action="store_true", help="also gold and random on the same rows")
    add("--out", metavar="DIR", help="the run's folder (a new one in runs/)")
    add("--resume", metavar="RUN", help="go on with a run; everything else comes from it")
    add("--retry-failed", action="store_true", help="resume, and run failed episodes again")
    add("--force", action="store_true", help="resume although the environment changed, and note it")
    add("--config", metavar="FILE", help="these flags from a TOML or YAML file; flags given here win")
    add("--dry-run", action="store_true", help="check everything, say what would run, and stop")
    add_json(parser)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    usual = Limits()
    add = parser.add_argument_group("limits").add_argument
    add("--concurrency", type=whole_number(1), default=64, metavar="N", help="episodes at once (64)")
    add("--limit-turns", type=whole_number(1), metavar="N", help="turns of an episode (the environment's)")
    add(
        "--limit-tool-calls", type=whole_number(1), default=usual.tool_calls, metavar="N",
        help="calls of an episode (100)",
    )  # fmt: skip
    add("--limit-tokens", type=whole_number(1), metavar="N", help="completion tokens of an episode")
    add("--limit-episode", type=float, metavar="S", help="seconds of an episode")
    add(
        "--limit-call",
        type=float,
        default=usual.call_seconds,
        metavar="S",
        help="seconds of a reset, step, tool or score (60)",
    )
    add("--limit-build", type=float, default=BUILD_SECONDS, metavar="S", help="seconds of building the rows (600)")
    add(
        "--limit-policy",
        type=float,
        default=usual.policy_seconds,
        metavar="S",
        help="seconds of one turn of the policy (600)",
    )
    add("--max-errors", type=float, metavar="N", help="stop at so many failed episodes, or at a share below 1 of them")


def run(args: argparse.Namespace) -> int:
    """Evaluate each environment, one summary each."""
    args = with_config_file(args, configure)
    if args.resume:
        return _resume(args)
    if args.force or args.retry_failed:
        raise UsageError("--force and --retry-failed are for --resume RUN.", "`grpo-env runs` lists the runs.")
    if not args.envs or not args.model:
        what = "which environment" if not args.envs else "which --model"
        raise UsageError(f"eval needs to know {what}.", "Like: grpo-env eval hotel-v1 --model gold")
    if args.out and len(args.envs) > 1:
        raise UsageError("--out names one folder, and there are several environments.", "Leave it out.")
    plan = _plan(args)
    config = read_config(args.env_config)
    work = [Evaluator(load(env, config, build_timeout=args.limit_build), plan) for env in args.envs]
    if args.dry_run:
        return _dry_run(work, args.json)
    codes = []
    for item in work:
        codes.append(_evaluate(item, start(item, args.out, Path("runs")), args))
        if codes[-1] == INTERRUPTED:
            break
    return max(codes)


def _resume(args: argparse.Namespace) -> int:
    parser = Parser("grpo-env eval", "", "")
    configure(parser)
    usual = vars(parser.parse_args([]))
    changed = {name: value for name, value in vars(args).items() if name != "argv" and value != usual[name]}
    wrong = [name for name in changed if name not in _WITH_RESUME]
    if wrong:
        told = ", ".join("ENV" if name == "envs" else f"--{name.replace('_', '-')}" for name in wrong)
        raise UsageError(f"--resume takes everything from the run, and here is also {told}.", "Leave it out.")
    changes = {name: changed[name] for name in ("concurrency", "max_errors") if name in changed}
    work, writer = resume(args.resume, args.force, args.retry_failed, args.base_url, **changes)
    return _evaluate(work, writer, args)


def _plan(args: argparse.Namespace) -> EvalPlan:
    extra = read_object("--extra-body", args.extra_body)
    return EvalPlan(
        policy=PolicySpec(args.model, args.base_url),
        split=args.split, rows=args.rows, samples=args.samples,
        sampling=Sampling(args.temperature, args.top_p, args.max_tokens, args.seed, args.logprobs, extra),
        limits=Limits(args.limit_turns, args.limit_tool_calls, args.limit_tokens, args.limit_episode,
                      args.limit_call, args.limit_policy),
        concurrency=args.concurrency, max_errors=args.max_errors, pass_at=args.pass_at, by=args.by,
        prices=_prices(args.prices),
    )  # fmt: skip


def _prices(text: str | None) -> Prices | None:
    if text is None:
        return None
    try:
        prompt, completion = (float(part) for part in text.split(","))
    except ValueError as exc:
        raise UsageError(f"--prices {text!r} is not two numbers.", "Like: --prices 0.15,0.60") from exc
    return Prices(prompt, completion)


def _dry_run(work: list[Evaluator], as_json: bool) -> int:
    for item in work:
        manifest = item.manifest()
        if as_json:
            print_json(manifest)
        else:
            print(f"{manifest['env']}: {len(item.jobs)} episodes by {item.policy.name} would run; nothing was written.")
    return 0


def _evaluate(work: Evaluator, writer: RunWriter, args: argparse.Namespace) -> int:
    with writer:
        done = len({(episode.row_index, episode.sample) for episode in writer.run.episodes()})
        with EvalProgress(work.loaded.spec.id, len(work.jobs), done) as progress:
            evaluation = run_loop(_until_interrupted(work, writer, progress))
    if evaluation.interrupted:
        print(
            f"Interrupted after {work.tally.episodes} of {len(work.jobs)} episodes; all are kept.\n"
            f"Go on with: grpo-env eval --resume {writer.run.path}",
            file=sys.stderr,
        )
        return INTERRUPTED
    baselines = _baselines(work) if args.baselines else {}
    _report(evaluation, baselines, args.json)
    for forced in writer.run.manifest.get("forced", ()):
        print(f"note: resumed by --force although {'; '.join(forced['differences'])}.", file=sys.stderr)
    return 0 if evaluation.tally.scored else NOTHING_SCORED


async def _until_interrupted(work: Evaluator, writer: RunWriter, progress: EvalProgress) -> Evaluation:
    """The evaluation, which a first Ctrl-C or SIGTERM ends in good order, and a second at once."""
    loop = asyncio.get_running_loop()

    def stop(number: int, frame: object) -> None:  # no handler of the loop: author code may be blocking it
        if work.interrupted:
            os._exit(INTERRUPTED)
        work.interrupted = True
        loop.call_soon_threadsafe(work.interrupt)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with LoopWatch(work.plan.limits.call_seconds or PATIENCE):
            return await work.run(writer, progress.seen)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _baselines(work: Evaluator) -> dict[str, Any]:
    """What gold and random reach on the same rows."""
    found = {}
    for name in ("gold", "random"):
        if name == "gold" and not work.loaded.traits.solvable:
            continue
        plan = replace(work.plan, policy=PolicySpec(name), samples=1, max_errors=None)
        found[name] = run_loop(Evaluator(work.loaded, plan).run(None)).tally.reward.as_json()
    return found


def _report(evaluation: Evaluation, baselines: dict[str, Any], as_json: bool) -> None:
    summary = evaluation.summary | ({"baselines": baselines} if baselines else {})
    if as_json:
        print_json(summary)
    else:
        print_summary(summary)
