"""`grpo-env test`: check an environment for bugs, reward hacking and learning signal, without a model or a GPU."""

import argparse
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, wait
from contextlib import closing
from functools import partial
from typing import Any

from grpo_env_sdk.checking.findings.outcomes import Outcome, Untestable
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.earlier import compared
from grpo_env_sdk.checking.reports.history import earlier_reports, remember
from grpo_env_sdk.checking.runner.check_env import (
    LEAST_SECONDS,
    CheckTarget,
    check_plan,
    check_target,
    names_in,
    target_of,
)
from grpo_env_sdk.checking.runner.runner import CheckPlan
from grpo_env_sdk.cli import INTERRUPTED
from grpo_env_sdk.cli.parser import add_env_config, add_json, whole_number
from grpo_env_sdk.cli.testing_output import (
    check_paths,
    print_github_error,
    print_report,
    print_untestable,
    write_reports,
)
from grpo_env_sdk.cli.testing_progress import CheckProgress
from grpo_env_sdk.cli.user_flags import add_user_flags
from grpo_env_sdk.envs.config import read_config
from grpo_env_sdk.errors import GrpoEnvError, UsageError
from grpo_env_sdk.isolation.processes.ending_signals import signals_interrupt
from grpo_env_sdk.isolation.processes.env_pool import POOLS
from grpo_env_sdk.registry.namespaces import all_installed, with_namespaces
from grpo_env_sdk.types import EnvSpec

EXAMPLE = (
    "  grpo-env test hotel-v1\n"
    "  grpo-env test --all --jobs 4 --junit report.xml\n"
    "  grpo-env test my_envs.sums:Sums --thorough --html report.html\n"
    "  grpo-env test hotel-v1 --select score,C120 -v\n"
    "  grpo-env test hotel-v1 --diff report.json"
)
FOUND, BROKEN, UNPROVEN = 1, 2, 3
_REFRESH_SECONDS = 0.1
Results = Generator[Outcome | None, None, None]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("envs", nargs="*", metavar="ENV", help="ids, dist:id, namespace/, or module:Class")
    parser.add_argument("--all", action="store_true", help="test every installed environment")
    add = parser.add_argument_group("what is checked").add_argument
    add("--quick", action="store_true", help="fewer rows and only quick checks")
    add("--thorough", action="store_true", help="all checks, on more rows (a minute or more)")
    for flag, what in (
        ("--select", "only these checks or groups: score, S2, C120"),
        ("--ignore", "all but these checks"),
    ):
        add(flag, metavar="IDS", type=names_in, default=[], action="extend", help=what)
    add("--rows", type=whole_number(1), metavar="N", help="play on at most N rows")
    add("--seed", type=int, default=0, metavar="N", help="same seed, same checks (0)")
    add("--timeout", type=_seconds, default=120.0, metavar="S", help="seconds for each environment (120)")
    add("--jobs", type=whole_number(1), default=1, metavar="N", help="test N environments at the same time (1)")
    add("--learn", action="store_true", help="also train a small model on it: a minute or two more")
    add(
        "--model",
        "--tokenizer",
        metavar="M",
        help="also check the template of this model, with its tokenizer for the rows",
    )
    pools = "a process of its own, a sandbox for code that you do not trust, or threads here, for a debugger"
    add("--env-pool", choices=POOLS, default="process", help=f"where environment code runs: {pools} (process)")
    add_env_config(parser)
    add_user_flags(parser)
    add = parser.add_argument_group("results").add_argument
    add("-v", "--verbose", action="store_true", help="show every finding, every check and the tables")
    add("--strict", action="store_true", help="warnings also fail (exit code 1)")
    add("--no-waivers", action="store_true", help="count every finding, whatever the class or the project waives")
    add("--allow-unproven", action="store_true", help="exit with 0 instead of 3 where too little could be tried")
    add("--diff", metavar="REPORT", help="show and fail only on what changed since a file of --json, or since `last`")
    add("--fix-hints", action="store_true", help="print one line per finding: what to change")
    add("--junit", metavar="FILE", help="write JUnit XML")
    add("--html", metavar="FILE", help="write an HTML report")
    add("--github", action="store_true", help="print annotations for GitHub workflows")
    add("--badge", metavar="FILE", help="write the verdict as a badge for a README (SVG)")
    add_json(parser, "one JSON object for each environment")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not LEAST_SECONDS <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"must be at least {LEAST_SECONDS:g} seconds, got {text}")
    return seconds


@signals_interrupt()
def run(args: argparse.Namespace) -> int:
    """Test each environment, in order: as soon as a report is there, write it to the files, then print it."""
    check_paths(args)
    plan, config = _plan(args), read_config(args.env_config)
    tested = targets(args, config)
    earlier = earlier_reports(args.diff, [target.spec for target in tested]) if args.diff else None
    outcomes: list[Outcome] = []
    stopped: list[str] = []
    with closing(_results(tested, plan, args.jobs)) as results:
        for place, (target, outcome) in enumerate(zip(tested, results, strict=True)):
            if outcome is None:
                stopped.append(target.name)
                continue
            if isinstance(outcome, Report) and earlier is not None:
                asked = None if plan.unfiltered else {check.id for check in plan.checks}
                outcome.changes = compared(args.diff, earlier[place], outcome, asked)
            if isinstance(outcome, Report) and plan.unfiltered and plan.waivers:
                remember(target.spec, outcome)
            outcomes.append(outcome)
            try:
                write_reports(outcomes, [*stopped, *(each.name for each in tested[place + 1 :])], args)
            finally:
                _print_outcome(outcome, target.spec, args, alone=len(tested) == 1)
            if isinstance(outcome, Report) and outcome.interrupted:
                break
    if stopped:
        raise KeyboardInterrupt(f"Stopped before there was a report on {', '.join(stopped)}.")
    reports = [outcome for outcome in outcomes if isinstance(outcome, Report)]
    if any(report.interrupted for report in reports):
        return INTERRUPTED
    return BROKEN if len(reports) < len(outcomes) else exit_code(reports, args.strict, args.allow_unproven)


def _print_outcome(outcome: Outcome, found: EnvSpec, args: argparse.Namespace, alone: bool) -> None:
    """Print it; why a single environment cannot be tested is the error of the command."""
    if isinstance(outcome, Report):
        print_report(outcome, found, args)
    elif alone:
        print_github_error(outcome, args)
        raise outcome.error
    else:
        print_untestable(outcome, args)


def targets(args: argparse.Namespace, config: dict[str, Any] | None) -> list[CheckTarget]:
    """The environments that are named, each once."""
    if args.all == bool(args.envs):
        wrong = "--all contradicts the names." if args.all else "No environment is named."
        raise UsageError(wrong, "Name environments, or give --all for every installed one.")
    named = all_installed() if args.all else with_namespaces(args.envs)
    found = [target_of(each, config, args.env_pool) for each in named]
    return list({(each.spec.distribution, each.spec.id, each.spec.entry_point): each for each in found}.values())


def _plan(args: argparse.Namespace) -> CheckPlan:
    if args.quick and args.thorough:
        raise UsageError("--quick and --thorough contradict each other.", "Give only one of them.")
    for flag, given in (("--github", args.github), ("--fix-hints", args.fix_hints)):
        if args.json and given:
            what = "A finding of --json has its `hint`, `file` and `line`."
            raise UsageError(f"--json and {flag} contradict each other.", f"Give only one of them. {what}")
    if args.jobs > 1 and args.env_pool == "thread":
        raise UsageError("--env-pool thread tests one environment at a time.", "Leave out --jobs.")
    plan = check_plan(
        effort="thorough" if args.thorough else "quick" if args.quick else "default",
        select=args.select, ignore=args.ignore, rows=args.rows, seed=args.seed, timeout=args.timeout,
        env_pool=args.env_pool, learn=args.learn, model=args.model,
        user=(args.user_model, args.user_base_url), waivers=not args.no_waivers,
    )  # fmt: skip
    if args.badge and not plan.unfiltered:
        raise UsageError("--badge shows the verdict of all checks.", "Leave out --select and --ignore.")
    return plan


def _results(targets: Sequence[CheckTarget], plan: CheckPlan, jobs: int) -> Results:
    """The report on each environment, in order, or why there is none; None where it was stopped before."""
    progress = CheckProgress([target.name for target in targets], len(plan.checks))
    if jobs > 1 and len(targets) > 1:
        yield from _at_once(targets, plan, jobs, progress)
        return
    for place, target in enumerate(targets):
        try:
            with progress:
                outcome = _outcome(target, partial(check_target, target, plan, partial(progress.on_event, place)))
        except KeyboardInterrupt:
            yield from [None] * (len(targets) - place)
            return
        progress.ended(place)
        yield outcome


def _at_once(targets: Sequence[CheckTarget], plan: CheckPlan, jobs: int, progress: CheckProgress) -> Results:
    from grpo_env_sdk.checking.runner.several import checked_at_once, in_order

    def until_done(future: Future[Report]) -> None:
        with progress:
            while wait([future], _REFRESH_SECONDS).not_done:
                progress.update()

    with checked_at_once(targets, plan, jobs, progress.note_event) as coming:
        for place, future in enumerate(coming):
            future.add_done_callback(lambda _, place=place: progress.ended(place))  # type: ignore[misc]
        for target, finished in zip(targets, in_order(coming, until_done), strict=True):
            yield _outcome(target, finished) if finished else None


def _outcome(target: CheckTarget, check: Callable[[], Report]) -> Outcome:
    try:
        return check()
    except GrpoEnvError as exc:
        return Untestable(target.spec, target.name, exc)


def exit_code(reports: Sequence[Report], strict: bool = False, allow_unproven: bool = False) -> int:
    """1 if a check of any environment failed, else 3 if one stayed unproven, else 0; of a comparison, what is new."""
    if any(report.failed(strict) for report in reports):
        return FOUND
    unproven = any(report.fails_unproven for report in reports)
    return UNPROVEN if unproven and not allow_unproven else 0
