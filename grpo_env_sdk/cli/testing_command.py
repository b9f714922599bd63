"""`grpo-env test`: check an environment for bugs, reward hacking and learning signal, without a model or a GPU."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.history import remember
from grpo_env_sdk.checking.runner.check_env import LEAST_SECONDS, check_plan, check_target, names_in, target_of
from grpo_env_sdk.cli.output import print_json, say
from grpo_env_sdk.cli.parser import add_env_config, add_json, whole_number
from grpo_env_sdk.cli.testing_progress import CheckProgress
from grpo_env_sdk.cli.user_flags import add_user_flags
from grpo_env_sdk.envs.config import read_config
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.env_values import redacted
from grpo_env_sdk.policies.endpoint import without_credentials
from grpo_env_sdk.types import EnvSpec

EXAMPLE = (
    "  grpo-env test hotel-v1\n"
    "  grpo-env test my_envs.sums:Sums --thorough --html report.html\n"
    "  grpo-env test hotel-v1 --select score,C120 -v"
)
FOUND, UNPROVEN = 1, 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("envs", nargs="+", metavar="ENV", help="ids, dist:id, or module:Class")
    add = parser.add_argument_group("what is checked").add_argument
    add("--quick", action="store_true", help="fewer rows and only quick checks (about 10 s)")
    add("--thorough", action="store_true", help="all checks, on more rows (a minute or more)")
    for flag, what in (
        ("--select", "only these checks or groups: score, S2, C120"),
        ("--ignore", "all but these checks"),
    ):
        add(flag, metavar="IDS", type=names_in, default=[], action="extend", help=what)
    add("--rows", type=whole_number(1), metavar="N", help="play on at most N rows")
    add("--seed", type=int, default=0, metavar="N", help="same seed, same checks (0)")
    add("--timeout", type=_seconds, default=120.0, metavar="S", help="seconds for each environment (120)")
    add("--learn", action="store_true", help="also train a small model on it: up to three minutes more")
    add(
        "--model",
        "--tokenizer",
        metavar="M",
        help="also check the template of this model, with its tokenizer for the rows",
    )
    add("--no-isolation", action="store_true", help="run the checks in this process, for a debugger")
    add("--env-pool", help=argparse.SUPPRESS)  # of other commands
    add_env_config(parser)
    add_user_flags(parser)
    add = parser.add_argument_group("results").add_argument
    add("-v", "--verbose", action="store_true", help="show every finding, every check and the tables")
    add("--strict", action="store_true", help="warnings also fail (exit code 1)")
    add("--allow-unproven", action="store_true", help="exit with 0 instead of 3 where too little could be tried")
    add("--fix-hints", action="store_true", help="print one line per finding: what to change")
    add("--junit", metavar="FILE", help="write JUnit XML")
    add("--html", metavar="FILE", help="write an HTML report")
    add("--github", action="store_true", help="print annotations for GitHub workflows")
    add_json(parser)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not LEAST_SECONDS <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"must be at least {LEAST_SECONDS:g} seconds, got {text}")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Test each environment, one report each."""
    if args.env_pool is not None:
        why = "its checks run in a process of their own, and code that ends or freezes it is a finding"
        raise UsageError(f"`grpo-env test` takes no --env-pool: {why}.", "Leave it out.")
    if args.quick and args.thorough:
        raise UsageError("--quick and --thorough contradict each other.", "Give only one of them.")
    plan = check_plan(
        effort="thorough" if args.thorough else "quick" if args.quick else "default",
        select=args.select, ignore=args.ignore, rows=args.rows, seed=args.seed, timeout=args.timeout,
        isolated=not args.no_isolation, learn=args.learn, model=args.model,
        user=(args.user_model, args.user_base_url),
    )  # fmt: skip
    config = read_config(args.env_config)
    reports = []
    for target in [target_of(name, config) for name in args.envs]:
        with CheckProgress(target.spec.id, len(plan.checks)) as progress:
            report = check_target(target, plan, progress.on_event)
        if not (args.select or args.ignore):
            remember(target.spec, report)
        reports.append(report)
        _print(report, target.spec, args)
    _write(reports, args)
    return exit_code(reports, args.strict, args.allow_unproven)


def exit_code(reports: Sequence[Report], strict: bool = False, allow_unproven: bool = False) -> int:
    """1 if a check of any environment failed, else 3 if one stayed unproven, else 0."""
    if any(report.failed(strict) for report in reports):
        return FOUND
    unproven = any(report.verdict == "unproven" for report in reports)
    return UNPROVEN if unproven and not allow_unproven else 0


def _print(report: Report, found: EnvSpec, args: argparse.Namespace) -> None:
    if args.json:
        return print_json(report.as_json())
    from grpo_env_sdk.checking.reports.github import github_lines
    from grpo_env_sdk.checking.reports.terminal import command_for, fix_lines, report_lines

    colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    if args.fix_hints:
        lines = fix_lines(report)
    else:
        again = command_for(found.id, _repeated(args))
        lines = report_lines(report, again, args.verbose, colours)
    for line in lines:
        say(line, colours=colours)
    package = found.entry_point.partition(":")[0].partition(".")[0]
    for line in github_lines(report, package, args.allow_unproven) if args.github else ():
        print(redacted(line))
    if report.verdict == "unproven" and args.allow_unproven:
        say(f"{report.env} stayed unproven, which --allow-unproven allows.")
    return None


def _repeated(args: argparse.Namespace) -> list[str]:
    """The flags that reproduce the result of a check."""
    flags = [f"--{name}" for name in ("quick", "thorough") if getattr(args, name)]
    flags += [f"--rows={args.rows}"] if args.rows else []
    flags += [f"--seed={args.seed}"] if args.seed else []
    flags += [f"--model={args.model}"] if args.model else []
    flags += [f"--user-model={args.user_model}"] if args.user_model else []
    flags += [f"--user-base-url={without_credentials(args.user_base_url)}"] if args.user_base_url else []
    return flags + ([f"--env-config={args.env_config}"] if args.env_config else [])


def _write(reports: Sequence[Report], args: argparse.Namespace) -> None:
    if args.junit:
        from grpo_env_sdk.checking.reports.junit import junit_xml

        _save("--junit", args.junit, junit_xml(reports, args.strict, args.allow_unproven))
    if args.html:
        from grpo_env_sdk.checking.reports.html import html_page

        _save("--html", args.html, html_page(reports))


def _save(flag: str, path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as exc:
        raise UsageError(f"{path!r} cannot be written: {exc.strerror}.", f"Choose another {flag}.") from exc
