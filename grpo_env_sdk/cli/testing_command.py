"""`grpo-env test`: is an environment sound, can it be cheated, will it teach? Without a model, without a GPU."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from grpo_env_sdk.checking.check import EFFORTS, LEARN, TEMPLATE, all_checks, selected
from grpo_env_sdk.checking.evidence.env_under_test import Settings
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.history import remember
from grpo_env_sdk.checking.reports.waivers import apply_waivers, project_waivers
from grpo_env_sdk.checking.runner.runner import Plan, run_checks
from grpo_env_sdk.cli.output import print_json
from grpo_env_sdk.cli.parser import add_env_config, add_json, whole_number
from grpo_env_sdk.cli.testing_progress import Progress
from grpo_env_sdk.envs.config import read_config
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.registry.lookup import spec
from grpo_env_sdk.types import EnvSpec

EXAMPLE = (
    "  grpo-env test hotel-v1\n"
    "  grpo-env test my_envs.sums:Sums --thorough --html report.html\n"
    "  grpo-env test hotel-v1 --select score,C120 -v"
)
FOUND = 1
BUILD_SHARE = 0.4
"""How much of the time for all may go into building the rows once."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("envs", nargs="+", metavar="ENV", help="ids, dist:id, or module:Class")
    add = parser.add_argument_group("what is checked").add_argument
    add("--quick", action="store_true", help="only what takes a few seconds")
    add("--thorough", action="store_true", help="all there is, on more rows")
    add(
        "--select",
        metavar="IDS",
        type=_ids,
        default=[],
        action="extend",
        help="only these checks or groups: score, S2, C120",
    )
    add("--ignore", metavar="IDS", type=_ids, default=[], action="extend", help="all but these checks or groups")
    add("--rows", type=whole_number(1), metavar="N", help="play on at most so many rows")
    add("--seed", type=int, default=0, metavar="N", help="equal seeds check equally (0)")
    add("--timeout", type=_seconds, default=120.0, metavar="S", help="seconds for one environment in all (120)")
    add("--learn", action="store_true", help="train a small model on it, up to three minutes more")
    add("--model", "--tokenizer", metavar="M", help="check its chat template too: a hub id, or a folder")
    add("--no-isolation", action="store_true", help="check in this process, for a debugger")
    add_env_config(parser)
    add = parser.add_argument_group("results").add_argument
    add("-v", "--verbose", action="store_true", help="every finding, every check, the tables")
    add("--strict", action="store_true", help="warnings are failures too (exit code 1)")
    add("--fix-hints", action="store_true", help="one line a finding: what to change")
    add("--junit", metavar="FILE", help="write JUnit XML")
    add("--html", metavar="FILE", help="write a report for the browser")
    add("--github", action="store_true", help="annotations for GitHub's workflows")
    add_json(parser)


def _ids(text: str) -> list[str]:
    return [item for item in text.replace(",", " ").split() if item]


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 5 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no time from 5 seconds")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Test each environment, one report each."""
    if args.quick and args.thorough:
        raise UsageError("--quick and --thorough contradict each other.", "Leave one out.")
    groups = {check.group for check in all_checks().values()}
    if args.learn and LEARN not in groups:
        raise UsageError("--learn trains a small model, and no trainer is installed.", "pip install grpo-env-trl")
    if args.model and TEMPLATE not in groups:
        raise UsageError("--model checks a chat template, and no trainer is installed.", "pip install grpo-env-trl")
    effort = EFFORTS[2 if args.thorough else 0 if args.quick else 1]
    model = os.path.abspath(args.model) if args.model and os.path.isdir(args.model) else args.model
    settings = Settings(
        effort, args.rows, args.seed, build_seconds=BUILD_SHARE * args.timeout, origin=os.getcwd(), model=model
    )
    checks = selected(args.select, args.ignore, effort, args.learn, bool(args.model))
    plan = Plan(checks, settings, args.timeout, not args.no_isolation)
    config = read_config(args.env_config)
    specs = [spec(name).with_config(config) for name in args.envs]
    for check in checks:
        if check.ready is not None:
            check.ready(settings)
    project = {found.id: project_waivers(found.id, Path.cwd()) for found in specs}
    reports = []
    for found in specs:
        with Progress(found.id, len(plan.checks)) as progress:
            report = run_checks(found, plan, progress.seen)
        apply_waivers(report, project[found.id])
        if not (args.select or args.ignore):
            remember(found, report)
        reports.append(report)
        _print(report, found, args)
    _write(reports, args)
    return FOUND if any(report.failed(args.strict) for report in reports) else 0


def _print(report: Report, found: EnvSpec, args: argparse.Namespace) -> None:
    if args.json:
        return print_json(report.as_json())
    from grpo_env_sdk.checking.reports.github import github_lines
    from grpo_env_sdk.checking.reports.terminal import command_for, fix_lines, report_lines

    if args.fix_hints:
        lines = fix_lines(report)
    else:
        again = command_for(found.id, _repeated(args))
        lines = report_lines(report, again, args.verbose, sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    for line in lines:
        print(line)
    package = found.entry_point.partition(":")[0].partition(".")[0]
    for line in github_lines(report, package) if args.github else ():
        print(line)
    return None


def _repeated(args: argparse.Namespace) -> list[str]:
    """The flags that a check needs to come to the same again."""
    flags = [f"--{name}" for name in ("quick", "thorough") if getattr(args, name)]
    flags += [f"--rows={args.rows}"] if args.rows else []
    flags += [f"--seed={args.seed}"] if args.seed else []
    flags += [f"--model={args.model}"] if args.model else []
    return flags + ([f"--env-config={args.env_config}"] if args.env_config else [])


def _write(reports: Sequence[Report], args: argparse.Namespace) -> None:
    if args.junit:
        from grpo_env_sdk.checking.reports.junit import junit_xml

        _save("--junit", args.junit, junit_xml(reports, args.strict))
    if args.html:
        from grpo_env_sdk.checking.reports.html import html_page

        _save("--html", args.html, html_page(reports))


def _save(flag: str, path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as exc:
        raise UsageError(f"{path!r} cannot be written: {exc.strerror}.", f"Take another {flag}.") from exc
