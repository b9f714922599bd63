"""What `grpo-env test` prints and writes."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from grpo_env_sdk.checking.findings.outcomes import Outcome, Untestable
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.cli.output import print_error, print_json, say
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.files.whole_file import write_whole_file
from grpo_env_sdk.isolation.values.env_values import redacted
from grpo_env_sdk.policies.endpoint import without_credentials
from grpo_env_sdk.types import EnvSpec


def print_report(report: Report, found: EnvSpec, args: argparse.Namespace) -> None:
    """Print the report on one environment in the form that the flags ask for."""
    from grpo_env_sdk.checking.reports.github import github_lines
    from grpo_env_sdk.checking.reports.json_report import report_json
    from grpo_env_sdk.checking.reports.terminal import command_for

    again = command_for(report.name, _repeated(args))
    if args.json:
        return print_json(report_json(report, found.entry_point, again))
    colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    for line in _lines(report, again, args, colours):
        say(line, colours=colours)
    for line in github_lines(report, found.entry_point, args.allow_unproven) if args.github else ():
        print(redacted(line))
    if report.verdict == "unproven" and args.allow_unproven:
        say(f"{report.name} stayed unproven, which --allow-unproven allows.")
    return None


def print_untestable(untestable: Untestable, args: argparse.Namespace) -> None:
    """Print why there is no report on an environment, in the form that the flags ask for."""
    print_github_error(untestable, args)
    if args.json:
        print_json(untestable.as_json())
    else:
        print_error(untestable.error, False, untestable.name)


def print_github_error(untestable: Untestable, args: argparse.Namespace) -> None:
    """Print why there is no report on an environment, where GitHub is to show it."""
    from grpo_env_sdk.checking.reports.github import untestable_line

    if args.github:
        print(redacted(untestable_line(untestable)))


def _lines(report: Report, again: str, args: argparse.Namespace, colours: bool) -> Iterator[str]:
    from grpo_env_sdk.checking.reports.terminal import first_line, fix_lines, report_lines

    if args.fix_hints:
        yield from fix_lines(report)
        return
    if report.changes is None or args.verbose:
        yield from report_lines(report, again, args.verbose, colours)
    else:
        yield first_line(report, colours)
    if report.changes is not None:
        from grpo_env_sdk.checking.reports.changes import change_lines

        yield from change_lines(report, again, colours)


def _repeated(args: argparse.Namespace) -> list[str]:
    """The flags that reproduce the result of a check."""
    flags = [f"--{name}" for name in ("quick", "thorough") if getattr(args, name)]
    flags += ["--no-waivers"] if args.no_waivers else []
    flags += [f"--rows={args.rows}"] if args.rows else []
    flags += [f"--seed={args.seed}"] if args.seed else []
    flags += [f"--env-pool={args.env_pool}"] if args.env_pool == "sandbox" else []
    flags += [f"--model={args.model}"] if args.model else []
    flags += [f"--user-model={args.user_model}"] if args.user_model else []
    flags += [f"--user-base-url={without_credentials(args.user_base_url)}"] if args.user_base_url else []
    return flags + ([f"--env-config={args.env_config}"] if args.env_config else [])


def check_paths(args: argparse.Namespace) -> None:
    """Raise before anything is tested where a file that the flags name could not be written at the end."""
    for flag, path in (("--junit", args.junit), ("--html", args.html), ("--badge", args.badge)):
        if path is None:
            continue
        folder = Path(path).parent
        if not folder.is_dir() or Path(path).is_dir():
            why = "it is a folder" if folder.is_dir() else f"there is no folder {str(folder)!r}"
            raise UsageError(f"{path!r} cannot be written: {why}.", f"Choose another {flag}.")


def write_reports(outcomes: Sequence[Outcome], untested: Sequence[str], args: argparse.Namespace) -> None:
    """Write the files that the flags name; each says which environments are not tested, or not yet."""
    if args.junit:
        from grpo_env_sdk.checking.reports.junit import junit_xml

        _save("--junit", args.junit, junit_xml(outcomes, args.strict, args.allow_unproven, untested))
    if args.html:
        from grpo_env_sdk.checking.reports.html import html_page

        _save("--html", args.html, html_page(outcomes, untested))
    if args.badge:
        from grpo_env_sdk.checking.reports.badge import badge_svg

        _save("--badge", args.badge, badge_svg(outcomes, untested))


def _save(flag: str, path: str, text: str) -> None:
    try:
        write_whole_file(Path(path), [text])
    except OSError as exc:
        raise UsageError(f"{path!r} cannot be written: {exc.strerror}.", f"Choose another {flag}.") from exc
