"""`grpo-env diff`: what changed from one run to another."""

import argparse

from grpo_env_sdk.cli.output import print_json, print_table
from grpo_env_sdk.cli.parser import add_json
from grpo_env_sdk.cli.summary import counted
from grpo_env_sdk.evaluation.compare import Comparison, compare
from grpo_env_sdk.runs import open_run

EXAMPLE = "  grpo-env diff runs/BEFORE runs/AFTER"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("before", metavar="RUN", help="the run to compare with")
    parser.add_argument("after", metavar="RUN", help="the run that is compared")
    parser.add_argument("--most", type=int, default=10, metavar="N", help="how many of the rows that changed most (10)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the paired difference, with its interval and a sign test."""
    found = compare(open_run(args.before), open_run(args.after))
    if args.json:
        print_json(found.as_json(args.most))
    else:
        print_comparison(found, args.most)
    return 0


def print_comparison(found: Comparison, most: int) -> None:
    """The means, the difference, which settings differ, and the rows that changed most."""
    told = found.as_json(most)
    print(f"before      {found.before}\nafter       {found.after}\ndifference  {found.difference}")
    chance = "" if found.p_value is None else f"; by chance alone: p = {found.p_value:.3g} (sign test)"
    same = told["rows"] - told["rose"] - told["fell"]
    print(f"{counted(told['rows'], 'row')}: {told['rose']} rose, {told['fell']} fell, {same} stayed{chance}")
    for which, count in (("first", told["only_before"]), ("second", told["only_after"])):
        if count:
            print(f"left out: {counted(count, 'row')} with a reward in the {which} run alone")
    for setting in told["settings"]:
        print(f"differs: {setting}")
    if told["changed_most"]:
        print()
        print_table(
            ["ROW", "BEFORE", "AFTER", "CHANGE"],
            [
                [str(row["row_index"]), f"{row['before']:.3f}", f"{row['after']:.3f}", f"{row['change']:+.3f}"]
                for row in told["changed_most"]
            ],
        )
