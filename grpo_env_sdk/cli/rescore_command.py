"""`grpo-env rescore`: score the transcripts of a run again with the current environment."""

import argparse
from contextlib import nullcontext
from pathlib import Path

from grpo_env_sdk.cli.diff_command import print_comparison
from grpo_env_sdk.cli.output import note_cut, note_running, print_json, say
from grpo_env_sdk.cli.parser import add_env_retries, add_json, add_tokenizer, add_trust, whole_number
from grpo_env_sdk.cli.pool_flags import add_env_pool, add_pool_flags, named_pool
from grpo_env_sdk.cli.summary import say_abstained
from grpo_env_sdk.evaluation.compare import compare
from grpo_env_sdk.evaluation.plan import plan_of
from grpo_env_sdk.evaluation.rescore import rescore
from grpo_env_sdk.isolation.processes.ending_signals import signals_interrupt
from grpo_env_sdk.isolation.processes.env_pool import THREADS
from grpo_env_sdk.runs.live_rows import LIVE
from grpo_env_sdk.runs.new_folders import new_folder
from grpo_env_sdk.runs.one_environment import one_environment
from grpo_env_sdk.runs.reading import open_run
from grpo_env_sdk.runs.watcher import Watcher

EXAMPLE = "  grpo-env rescore runs/RUN"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("run", metavar="RUN", help="the folder of a run; it is not changed")
    parser.add_argument(
        "--env", metavar="ENV", help="the environment of a run that has several, or was changed or written elsewhere"
    )
    add_trust(parser)
    parser.add_argument("--out", metavar="DIR", help="the folder of the new run (default: beside the old one)")
    parser.add_argument(
        "--most", type=whole_number(0), default=10, metavar="N", help="rows that changed most (default: 10)"
    )
    add_env_retries(parser, None, "that of the run")
    add_tokenizer(parser)
    of_pools = add_env_pool(parser, "that of the run")
    add_json(parser)
    add_pool_flags(parser, of_pools)


@signals_interrupt()
def run(args: argparse.Namespace) -> int:
    """Score again, and print the difference."""
    old = one_environment(open_run(args.run).as_of_now(), args.env, f"grpo-env rescore {args.run} --env {{}}")
    note_running(old)
    out = Path(args.out) if args.out else new_folder(old.path.parent, f"{old.path.name}-rescored")
    pool = named_pool(args)
    plan = plan_of(old).in_pool(pool)
    again = (
        f"Score again in worker processes, where that costs one episode: grpo-env rescore {args.run} --env-pool process"
    )
    watcher = Watcher(out / LIVE, plan.limits.call_seconds, again, args.json) if plan.pool == THREADS else nullcontext()
    with watcher:
        evaluation = rescore(
            old,
            out,
            args.tokenizer,
            env=args.env,
            trust=args.trust,
            env_retries=args.env_retries,
            pool=pool,
        )
    note_cut(old)
    found, tally = compare(old, open_run(out)), evaluation.tally
    if args.json:
        counts = {"errors": dict(tally.errors), "abstained": tally.abstained}
        print_json({"run": str(out)} | counts | found.as_json(args.most))
        return 0
    print_comparison(found, args.most)
    say_abstained(tally.abstained)
    for cause, count in tally.errors.items():
        say(f"failed: {count} by {cause}")
    say(f"\nrun {out}")
    return 0
