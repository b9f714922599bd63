"""`grpo-env diff`: compare two runs."""

import argparse

from grpo_env_sdk.cli.output import note_cut, note_running, print_json, print_table, say
from grpo_env_sdk.cli.parser import add_json, error_limit, finite_number, whole_number
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.compare import Comparison, compare_runs
from grpo_env_sdk.evaluation.comparison_text import changed_rows, notes
from grpo_env_sdk.evaluation.gates import max_drop_gate
from grpo_env_sdk.runs.changed_episodes import check_unchanged
from grpo_env_sdk.runs.reading import open_run

EXAMPLE = "  grpo-env diff runs/BEFORE runs/AFTER\n  grpo-env diff runs/BEFORE runs/AFTER --max-drop 0.05"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("before", nargs="?", metavar="RUN", help="the earlier run")
    parser.add_argument("after", nargs="?", metavar="RUN", help="the later run")
    parser.add_argument(
        "--most", type=whole_number(0), default=10, metavar="N", help="rows that changed most (default: 10)"
    )
    parser.add_argument(
        "--max-drop", type=finite_number(0), metavar="R", help="exit with 1 where the mean reward fell by more"
    )
    parser.add_argument(
        "--confident", action="store_true",
        help="with --max-drop: the lower end of the interval counts, so pass only where a larger drop is unlikely",
    )  # fmt: skip
    parser.add_argument(
        "--max-errors", type=error_limit, metavar="N",
        help="with --max-drop: fail at N episodes of the later run without a reward, or above this share of them if "
        "below 1 (default: at the first)",
    )  # fmt: skip
    parser.add_argument(
        "--cluster", metavar="COLUMN",
        help="rows with the same value in this column count as one for the intervals (default: as the runs were "
        "evaluated)",
    )  # fmt: skip
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the paired difference, with its interval and a sign test."""
    if args.after is None:
        raise UsageError(
            "diff needs two runs.", "Example: grpo-env diff runs/BEFORE runs/AFTER. `grpo-env runs` lists them."
        )
    if args.max_drop is None and (args.confident or args.max_errors is not None):
        flag = "--confident" if args.confident else "--max-errors"
        raise UsageError(f"{flag} is for --max-drop.", "Add --max-drop R, or leave it out.")
    before, after = open_run(args.before), open_run(args.after)
    for run in (before, after) if args.max_drop is not None else ():
        check_unchanged(run)
    note_running(before, after)
    note_cut(before, after)
    found = compare_runs(before, after, args.cluster)
    gate = max_drop_gate(found, args.max_drop, args.max_errors, args.confident)
    if args.json:
        print_json(found.as_json(args.most) | ({"gate": gate.as_json()} if gate else {}))
    else:
        print_comparison(found, args.most)
        if gate:
            say(f"\n{gate}")
    return 0 if gate is None or gate.passed else 1


def print_comparison(found: Comparison, most: int) -> None:
    """Print the means, the difference, changed settings, the named rewards, and the rows that changed most."""
    data = found.as_json(most)
    say(f"before      {found.before}\nafter       {found.after}\ndifference  {found.difference}")
    say(changed_rows(found))
    for note in notes(found):
        say(note)
    for setting in data["settings"]:
        say(f"differs: {setting}")
    if found.rewards:
        say()
        print_table(
            ["REWARD", "BEFORE", "AFTER", "DIFFERENCE"],
            [
                [name, str(change.before), str(change.after), str(change.difference)]
                for name, change in found.rewards.items()
            ],
        )
    if data["changed_most"]:
        say()
        print_table(
            ["ROW", "BEFORE", "AFTER", "CHANGE"],
            [
                [str(row["row_index"]), f"{row['before']:z.3f}", f"{row['after']:z.3f}", f"{row['change']:+z.3f}"]
                for row in data["changed_most"]
            ],
        )
